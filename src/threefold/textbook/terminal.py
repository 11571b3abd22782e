"""The tree in a terminal: an outline in Unicode.

      ▲ A ≥ 3  [3, ∞]
      ├→ ▼ B = 3  [−∞, 3]
      │  ├→ D = 3
      │  └─ E = 5
    ▶ └─ ▼ C ≤ −5  [3, ∞]
         ├─ F = −5
         └✂ G  cut by α

▲ MAX, ▼ MIN, ● chance, ■ one of more than two players; → the principal variation, ✂ a pruned node,
∅ one that MOVEGEN did not generate (┄ a node below either), ⇢ a random playout, ▶ the current node.
`×4` marks a node that stands for four symmetric moves. `= 3` is a value that the search has found,
`: 3` the given value of a leaf that the search has not reached.
"""

from threefold.textbook.replay import Scene, show
from threefold.textbook.trace import Event
from threefold.textbook.treeshape import MAX_DRAWN, short

SYMBOLS = {"MAX": "▲", "MIN": "▼", "CHANCE": "●"}
#: Columns reserved for a node's text when a deep tree would push it off the screen.
_ROOM_FOR_TEXT = 30


def draw_tree(scene: Scene, width: int = 80) -> str:
    """The tree at a step, in lines no wider than `width`."""
    shape = scene.shape
    hidden = shape.first_levels(MAX_DRAWN)
    shown = [node for node in hidden if scene.spot(node).known]
    pruned = {node for node in shown if scene.is_pruned(node)}
    best = set(scene.line)
    last = set({shape.parent[node]: node for node in shown if node != shape.root}.values())
    lines = []
    # The prefix of a node's children: a bar for every ancestor with siblings still to come.
    bars: dict[str, str] = {}
    for node in shown:
        branch = bars[node] = ""
        if node != shape.root:
            before = bars[shape.parent[node]]
            bars[node] = before + ("   " if node in last else "│  ")
            corner = "└" if node in last else "├"
            branch = before + corner + _branch(scene, node, pruned, best) + " "
        pointer = "▶ " if node == scene.current else "  "
        text = _text(scene, node)
        if hidden[node]:
            text += f"  ⋯ {hidden[node]:,} below"
        lines.append(pointer + _fit(branch, text, width - len(pointer)))
    left_out = sum(hidden.values())
    if left_out:
        lines.append(f"  {left_out:,} more nodes are not drawn.")
    if scene.current is not None and scene.current not in hidden:
        lines.append(_fit("▶ ", f"{scene.current}, below what is drawn", width))
    return "\n".join(lines)


def cut_word(cut: Event | None) -> str:
    """The bound that cut a node off, α or β; empty if it was skipped for another reason."""
    return {"alpha": "α", "beta": "β"}.get(cut.data.get("which", ""), "") if cut else ""


def _branch(scene: Scene, node: str, pruned: set[str], best: set[str]) -> str:
    if node in pruned:
        spot = scene.spot(node)
        return "┄" if not spot.pruned else "∅" if spot.implausible else "✂"
    return "→" if node in best else "⇢" if scene.spot(node).played else "─"


def _text(scene: Scene, node: str) -> str:
    """The node's symbol, name, value and window."""
    shape, spot = scene.shape, scene.spot(node)
    is_leaf = node in shape.leaves
    weight, player = shape.weight.get(node), shape.player[node]
    text = f"{show(weight)} × " if weight is not None else ""
    text += short(shape, node) if is_leaf else f"{SYMBOLS.get(player, '■')} {short(shape, node)}"
    if node in shape.count:
        text += f" ×{shape.count[node]}"
    if not is_leaf and player and player not in SYMBOLS:
        text += f" ({player})"
    if spot.says:
        text += f" {spot.says}" if spot.sign != "=" else f" = {spot.says}"
    elif node in shape.given and not spot.looked:
        text += f": {show(shape.given[node])}"
    if spot.counts and (spot.visits or not is_leaf):
        text += f"  {spot.counts}"
    if spot.remark:
        text += f"  {spot.remark}"
    if spot.implausible:
        text += "  not generated"
    elif spot.pruned:
        word = cut_word(spot.cut)
        text += f"  cut by {word}" if word else "  not looked at"
    return text


def _fit(branch: str, text: str, width: int) -> str:
    """A line that fits: a deep branch loses its beginning, a long text its end."""
    room = max(width - min(_ROOM_FOR_TEXT, len(text)), 4)
    if len(branch) > room:
        branch = "⋯" + branch[len(branch) - room + 1 :]
    line = branch + text
    return line if len(line) <= width else line[: max(width - 1, 1)] + "…"
