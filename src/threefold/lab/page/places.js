// @ts-check
/**
 * The places of a board's picture: where they are, which are neighbors, and what is on them.
 *
 * It knows no game: a place is a part of the picture with a name, `data-place`, and what is drawn
 * within it lies on it.
 */

/** @typedef {{x: number, y: number, width: number, height: number}} Box */

export class Places {
  /** @param {SVGSVGElement} [picture] in the page; without one there are no places */
  constructor(picture) {
    this._picture = picture;
    /** By their names. @type {Map<string, SVGGraphicsElement>} */
    this.elements = new Map();
    /** @type {Map<string, Box>} */
    this.boxes = new Map();
    for (const element of picture?.querySelectorAll("[data-place]") ?? []) {
      const name = element.getAttribute("data-place") ?? "";
      if (!(element instanceof SVGGraphicsElement) || this.elements.has(name)) continue;
      this.elements.set(name, element);
      this.boxes.set(name, boxOf(element));
    }
  }

  /** Their names in rows from the top, each from the left. */
  rows() {
    const places = [...this.boxes].map(([name, box]) => ({ name, ...middle(box), reach: box.height / 2 }));
    places.sort((a, b) => a.y - b.y);
    /** @type {{y: number, names: {name: string, x: number}[]}[]} */
    const rows = [];
    for (const place of places) {
      const row = rows.at(-1);
      if (row && place.y - row.y < Math.max(place.reach, 1)) row.names.push(place);
      else rows.push({ y: place.y, names: [place] });
    }
    return rows.map((row) => row.names.sort((a, b) => a.x - b.x).map(({ name }) => name));
  }

  /**
   * The nearest place in a direction; one straight ahead counts as nearer than one to the side.
   *
   * @param {string} from
   * @param {[number, number]} way
   */
  neighbor(from, way) {
    const box = this.boxes.get(from);
    if (!box) return undefined;
    const here = middle(box);
    let best;
    let least = Infinity;
    for (const [name, other] of this.boxes) {
      if (name === from) continue;
      const { x, y } = middle(other);
      const ahead = (x - here.x) * way[0] + (y - here.y) * way[1];
      const aside = Math.abs((x - here.x) * way[1]) + Math.abs((y - here.y) * way[0]);
      if (ahead > 1 && ahead + 2.5 * aside < least && aside <= 2 * ahead) {
        least = ahead + 2.5 * aside;
        best = name;
      }
    }
    return best;
  }

  /**
   * What is drawn on a place: the parts of the picture that lie inside it.
   *
   * @param {string} name
   * @returns {SVGGraphicsElement[]}
   */
  piecesOn(name) {
    const box = this.boxes.get(name);
    return box ? this.piecesIn(box) : [];
  }

  /**
   * The piece that can be picked up from a place: of a stack, the one that was drawn last.
   *
   * @param {string} name
   */
  topOf(name) {
    const box = this.boxes.get(name);
    const pieces = this.piecesOn(name);
    const last = pieces.at(-1);
    if (!box || !last || !isTall(box)) return pieces;
    const { y } = middle(boxOf(last));
    return pieces.filter((piece) => Math.abs(middle(boxOf(piece)).y - y) < box.width / 4);
  }

  /**
   * @param {Box} box
   * @returns {SVGGraphicsElement[]}
   */
  piecesIn(box) {
    return [...(this._picture?.children ?? [])].filter(
      /** @returns {element is SVGGraphicsElement} */ (element) => {
        if (!(element instanceof SVGGraphicsElement) || element instanceof SVGTextElement) return false;
        if (element.classList.contains("layer") || element.classList.contains("places")) return false;
        const inner = boxOf(element);
        const { x, y } = middle(inner);
        return (
          inner.width < box.width * 0.98 && inner.height < box.height * 0.98 && inner.width > 0 &&
          x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height
        );
      },
    );
  }

  /**
   * Where in a place to draw something. In a column that pieces are dropped into, that is
   * not its middle but the piece that came last, or the hole where the next will lie; a hole is
   * drawn with fewer shapes than a piece. A stack may also hang from the top.
   *
   * @param {string} name
   * @param {"last" | "next"} which
   * @returns {Box | undefined}
   */
  spot(name, which) {
    const box = this.boxes.get(name);
    if (!box || !isTall(box)) return box;
    /** @type {Map<number, number>} */
    const shapes = new Map();
    for (const piece of this.piecesIn(box)) {
      const y = Math.round(middle(boxOf(piece)).y);
      shapes.set(y, (shapes.get(y) ?? 0) + 1);
    }
    const holes = [...shapes].filter(([, count]) => count === 1).map(([y]) => y);
    const pieces = [...shapes].filter(([, count]) => count > 1).map(([y]) => y);
    const found = which === "next" ? holes : pieces;
    if (!found.length) return box;
    const [top, bottom] = [Math.min(...found), Math.max(...found)];
    const hangs = top - box.y < box.width / 2 && box.y + box.height - bottom > box.width / 2;
    const y = which === "next" || hangs ? bottom : top;
    return { x: box.x, y: y - box.width / 2, width: box.width, height: box.width };
  }
}

/**
 * Where an element is in the picture.
 *
 * @param {SVGGraphicsElement} element
 * @returns {Box}
 */
export function boxOf(element) {
  const { x, y, width, height } = element.getBBox();
  const moved = element.transform.baseVal.consolidate()?.matrix;
  return moved ? { x: x + moved.e, y: y + moved.f, width, height } : { x, y, width, height };
}

/** Whether pieces lie in a place one above the other. @param {Box} box */
const isTall = (box) => box.height >= 1.6 * box.width;

/** @param {Box} box */
export const middle = (box) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
