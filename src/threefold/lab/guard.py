"""Access control: this machine's page and, if the lab is open to a class, anyone with the link.

Another page in the same browser can send requests here too. It cannot choose the Host and Origin
headers that the browser sends, so those decide: they must name the lab itself. A foreign domain
whose DNS points here is refused as well.
"""

import hmac
from typing import Final
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE: Final = "threefold_lab"

#: The page consists of our own files only. Nothing is fetched from elsewhere, no script in a
#: picture or a text runs, and no other page may frame it.
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}
_OWN_NAMES: Final = frozenset({"127.0.0.1", "localhost", "[::1]"})


class Guard:
    """Admits requests from the lab's own page; if `token` is set, all of them need it."""

    def __init__(self, app: ASGIApp, *, token: str | None = None) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request or connection."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(headers)
        if refusal is None and self._token is not None and not self._knows_token(headers):
            if scope["type"] == "http" and self._brings_token(scope):
                response = RedirectResponse("/")
                response.set_cookie(COOKIE, self._token, httponly=True, samesite="strict")
                await response(scope, receive, send)
                return
            refusal = "this lab is only open to people who have its link; ask for it"
        if refusal is not None:
            await self._refuse(refusal, scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                sent = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    sent.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, send_with_headers)

    def _refusal(self, headers: Headers) -> str | None:
        host = headers.get("host", "")
        if self._token is None and _name_of(host) not in _OWN_NAMES:
            return "the lab answers to 127.0.0.1 and localhost only"
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] != host:
            return "other pages may not use the lab"
        return None

    def _knows_token(self, headers: Headers) -> bool:
        cookies = (cookie.strip() for cookie in headers.get("cookie", "").split(";"))
        given = (cookie.partition("=")[2] for cookie in cookies if cookie.startswith(f"{COOKIE}="))
        return any(map(self._is_token, given))

    def _brings_token(self, scope: Scope) -> bool:
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
        return self._is_token(given[0])

    def _is_token(self, given: str) -> bool:
        assert self._token is not None
        return hmac.compare_digest(given.encode(), self._token.encode())

    async def _refuse(self, why: str, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": why})
            return
        await PlainTextResponse(why + "\n", 403, headers=HEADERS)(scope, receive, send)


def _name_of(host: str) -> str:
    """The host without its port."""
    return host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
