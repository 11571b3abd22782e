"""A run as one HTML file: the tree with a slider, every step and its sentence.

The file needs no server and no network. It holds the picture once; each step is the list of nodes
that look different after it, so that the file stays small and the browser goes back as easily as
forward.
"""

import json
from collections.abc import Sequence
from html import escape
from typing import Any

from threefold.rules.svg import DARK, LIGHT
from threefold.textbook.narration import narrate, steps
from threefold.textbook.picture import (
    Layout,
    Look,
    Looks,
    edge,
    frame,
    lay_out,
    look_at,
    node_shape,
)
from threefold.textbook.replay import MAX_DRAWN, Scene, replay, scene
from threefold.textbook.trace import Event

#: More steps than these would make a file that no browser likes.
MAX_STEPS = 5_000


def page(events: Sequence[Event], title: str) -> str:
    """The whole HTML file for a run."""
    run = stepper(events)
    data = {name: run[name] for name in ("sentences", "cutoffs", "looks", "changes")}
    items = "".join(
        f'<li><button type="button"{_mark(kind)}>{escape(_unbroken(sentence))}</button></li>'
        for sentence, kind in zip(run["sentences"], run["kinds"], strict=True)
    )
    # A "<" inside the data could end the script; JSON may write it another way.
    packed = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return _fill(
        _PAGE,
        TITLE=escape(title),
        STYLE=_colours(LIGHT)
        + "@media(prefers-color-scheme:dark){"
        + _colours(DARK)
        + "}"
        + _STYLE,
        PICTURE=run["svg"],
        NOTE=f"<p class=note>{run['note']}</p>" if run["note"] else "",
        LAST=str(len(run["sentences"])),
        STEPS=items,
        DATA=packed,
        SCRIPT=_SCRIPT,
    )


def stepper(events: Sequence[Event], most: int = MAX_DRAWN) -> dict[str, Any]:
    """All that it takes to step through a run, in JSON's own types.

    `svg` is the drawing before the first step. A step has its sentence, the kind and the number of
    its event, and its changes: pairs of a node, by its place in `nodes`, and its new look, by its
    place in `looks`. Of a tree of more than `most` nodes, the first levels are drawn.
    """
    layout = lay_out(events, most)
    sentences = narrate(events)
    wanted, note = _choose(events, steps(sentences), layout)
    looks, changes = _changes(events, wanted, layout)
    start = scene(events, 0)
    index = {node: i for i, node in enumerate(look_at(start, layout))}
    return {
        "svg": _picture(start, layout),
        "nodes": list(index),
        "parents": [index.get(start.shape.parent.get(node, ""), -1) for node in index],
        "sentences": [sentences[step - 1] for step in wanted],
        "kinds": [events[step - 1].kind for step in wanted],
        "events": [step - 1 for step in wanted],
        "cutoffs": [i for i, step in enumerate(wanted) if events[step - 1].kind == "cutoff"],
        "looks": looks,
        "changes": changes,
        "note": note,
    }


def _choose(events: Sequence[Event], wanted: list[int], layout: Layout) -> tuple[list[int], str]:
    """The steps to show: all with a sentence, or, where they are too many, those of drawn nodes."""
    if len(wanted) <= MAX_STEPS:
        return wanted, ""
    drawn = [step for step in wanted if events[step - 1].node in layout.hidden]
    kept = drawn[: MAX_STEPS - 1] + drawn[MAX_STEPS - 1 :][-1:]
    left_out = len(wanted) - len(kept)
    return kept, f"{left_out:,} steps of this long run are left out."


def _changes(
    events: Sequence[Event], wanted: Sequence[int], layout: Layout
) -> tuple[list[list[str]], list[list[int]]]:
    """The different looks, and for each step the numbers node, look, node, look…"""
    numbers: dict[Look, int] = {}
    looks = Looks(layout)
    changes = []
    showing = set(wanted)
    for now in replay(events):
        looks.watch(now)
        if now.step in showing:
            change = []
            for node, look in looks.changes(now).items():
                change += [layout.place(node), numbers.setdefault(look, len(numbers))]
            changes.append(change)
    return [[look.css, look.value, look.window, look.cut] for look in numbers], changes


def _picture(start: Scene, layout: Layout) -> str:
    """The drawing before the first step, every part with an id for the script."""
    looks = look_at(start, layout)
    index = {node: str(i) for i, node in enumerate(looks)}
    edges = [
        edge(start.shape, layout, node, looks[node], index[node])
        for node in looks
        if node != start.shape.root
    ]
    nodes = [node_shape(start.shape, layout, node, looks[node], index[node]) for node in looks]
    return frame(start, layout, edges + nodes, [])


def _unbroken(sentence: str) -> str:
    """The sentence with `α = 3` kept on one line."""
    return sentence.replace(" = ", "\u00a0=\u00a0")


def _mark(kind: str) -> str:
    return ' class="cutoff"' if kind == "cutoff" else ""


def _colours(roles: dict[str, str]) -> str:
    used = ("paper", "board", "line", "ink", "max", "min")
    return ":root{" + "".join(f"--{role}:{roles[role]};" for role in used) + "}"


def _fill(template: str, **parts: Any) -> str:
    """Put the parts in their places, each once, whatever they contain."""
    pieces = template.split("@@")
    pieces[1::2] = [parts[name] for name in pieces[1::2]]
    return "".join(pieces)


_STYLE = """
:root{color-scheme:light dark}*{box-sizing:border-box}
body{margin:0;font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);
display:grid;grid-template:auto 1fr auto/minmax(0,1fr) 24rem;height:100vh}
header{grid-column:1/-1;padding:.7rem 1.2rem;border-bottom:1px solid var(--board)}
h1{font-size:1.1rem;margin:0}.note{margin:.2rem 0 0;font-size:.9rem}
figure{margin:0;overflow:auto;display:grid;place-items:safe center;min-height:0}
figure svg{display:block;max-width:none}
aside{overflow:auto;border-left:1px solid var(--board);min-height:0;padding:.4rem}
ol{margin:0;padding:0;list-style:none;counter-reset:step}li{counter-increment:step}
li button{display:grid;grid-template-columns:3rem 1fr;width:100%;text-align:left;font:inherit;
font-size:.88rem;line-height:1.35;color:inherit;background:none;border:0;border-left:4px solid
transparent;border-radius:4px;padding:.28rem .4rem;cursor:pointer}
li button::before{content:counter(step);opacity:.7;font-variant-numeric:tabular-nums}
li button.cutoff::before{content:counter(step) " \\2702"}
li button:hover{background:var(--board)}
li button[aria-current]{background:var(--board);border-left-color:var(--max);font-weight:600}
footer{grid-column:1/-1;border-top:1px solid var(--board);padding:.6rem 1.2rem .8rem}
#sentence{margin:0 0 .5rem;font-size:1.2rem;line-height:1.35;min-height:1.6em}
.controls{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}
.controls button{font:inherit;color:inherit;background:var(--board);border:1px solid var(--line);
border-radius:6px;padding:.3rem .75rem;min-height:2.2rem;cursor:pointer}
.controls button:disabled{opacity:.45;cursor:default}
.controls label{display:flex;flex:1 1 16rem;gap:.7rem;align-items:center;white-space:nowrap;
font-variant-numeric:tabular-nums}
.controls input{flex:1;accent-color:var(--max);min-width:6rem}
:focus-visible{outline:3px solid var(--min);outline-offset:1px}
.keys{margin:.4rem 0 0;font-size:.82rem;opacity:.8}kbd{font:inherit;border:1px solid var(--line);
border-radius:4px;padding:0 .3em}
.tree .node:not(.here) .pointer,.tree .edge:not(.cut) .bars{display:none}
@media(max-width:50rem){body{grid-template:auto minmax(14rem,1fr) auto auto/minmax(0,1fr);
height:auto;min-height:100vh}aside{border-left:0;max-height:14rem;grid-row:4}}
@media print{aside,.controls,.keys{display:none}body{display:block;height:auto}}
"""

_SCRIPT = """
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const at = id => document.getElementById(id);
const last = data.sentences.length - 1;
const buttons = [...document.querySelectorAll("li button")];
const slider = at("slider");
const looks = [];          // by node: the number of the look that it has at the current step
const drawn = [];          // by node: the look that the document shows
let step = -1;

function dress(node, look) {
  const [css, value, window_, cut] = data.looks[look];
  const shape = at("n" + node), edge = at("e" + node);
  shape.setAttribute("class", "node " + css);
  for (const [part, text] of [[".value", value], [".window", window_]]) {
    const found = shape.querySelector(part);
    if (found) found.textContent = text;
  }
  if (edge) {
    edge.setAttribute("class", "edge " + css + (cut ? " cut" : ""));
    const best = css.split(" ").includes("best");
    edge.querySelector(".way").setAttribute("class", "way " + (best ? "line-ink" : "line-line"));
    edge.querySelector(".word").textContent = cut;
  }
}

function bringIntoView(node) {
  const figure = document.querySelector("figure"), room = figure.getBoundingClientRect();
  if (node.left < room.left + 40 || node.right > room.right - 40)
    figure.scrollLeft += (node.left + node.right - room.left - room.right) / 2;
  if (node.top < room.top + 40 || node.bottom > room.bottom - 40)
    figure.scrollTop += (node.top + node.bottom - room.top - room.bottom) / 2;
}

function show(to, write) {
  to = Math.max(0, Math.min(last, to));
  if (to === step) return;
  let from = step + 1;
  if (to < step) { looks.length = 0; from = 0; }
  for (let k = from; k <= to; k++)
    for (let i = 0; i < data.changes[k].length; i += 2)
      looks[data.changes[k][i]] = data.changes[k][i + 1];
  looks.forEach((look, node) => { if (drawn[node] !== look) dress(node, drawn[node] = look); });
  if (step >= 0) buttons[step].removeAttribute("aria-current");
  step = to;
  buttons[step].setAttribute("aria-current", "step");
  buttons[step].scrollIntoView({block: "nearest"});
  const here = document.querySelector(".tree .here");
  if (here) bringIntoView(here.getBoundingClientRect());
  at("sentence").textContent = data.sentences[step];
  slider.value = step + 1;
  slider.setAttribute("aria-valuetext", "step " + (step + 1) + ": " + data.sentences[step]);
  at("count").textContent = "Step " + (step + 1) + " of " + (last + 1);
  at("first").disabled = at("previous").disabled = step === 0;
  at("last").disabled = at("next").disabled = step === last;
  at("cutoff").disabled = !data.cutoffs.some(k => k > step);
  if (write) history.replaceState(null, "", "#" + (step + 1));
}

const go = {
  first: () => show(0, true),
  previous: () => show(step - 1, true),
  next: () => show(step + 1, true),
  last: () => show(last, true),
  cutoff: () => {
    const found = data.cutoffs.find(k => k > step);
    if (found !== undefined) show(found, true);
  },
};
const keys = {Home: "first", End: "last", ArrowLeft: "previous", ArrowRight: "next", c: "cutoff"};
for (const name of Object.keys(go)) at(name).addEventListener("click", go[name]);
buttons.forEach((button, k) => button.addEventListener("click", () => show(k, true)));
slider.addEventListener("input", () => show(slider.value - 1, true));
addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
  event.preventDefault();
  go[keys[event.key]]();
});
const fromAddress = () => show((parseInt(location.hash.slice(1), 10) || 1) - 1, false);
addEventListener("hashchange", fromAddress);
fromAddress();
"""

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>@@TITLE@@</title>
<style>@@STYLE@@</style>
</head>
<body>
<header><h1>@@TITLE@@</h1>@@NOTE@@</header>
<figure tabindex="0" aria-label="The tree">@@PICTURE@@</figure>
<aside aria-label="All steps"><ol>@@STEPS@@</ol></aside>
<footer>
<p id="sentence" aria-live="polite"></p>
<div class="controls">
<button type="button" id="first" >First</button>
<button type="button" id="previous">← Previous</button>
<button type="button" id="next">Next →</button>
<button type="button" id="last" >Last</button>
<button type="button" id="cutoff">✂ Next cutoff</button>
<label><span id="count">Step</span>
<input id="slider" type="range" min="1" max="@@LAST@@" value="1"></label>
</div>
<p class="keys">Keys: <kbd>←</kbd> <kbd>→</kbd> a step, <kbd>Home</kbd> <kbd>End</kbd> the first
and last, <kbd>c</kbd> the next cutoff. ▲ MAX, ▼ MIN, ● chance; thick: the best line so far;
dashed with ‖: pruned by α or β; ≥ and ≤: only a bound is known.</p>
</footer>
<script type="application/json" id="data">@@DATA@@</script>
<script>@@SCRIPT@@</script>
</body>
</html>
"""
