/* Connect Four perft in plain C: the same algorithm as threefold/games/connect_four/rules.py and
   engine/perft.py, as a measure of how far the compiled rules are from the metal.

   usage: connect_four DEPTH; prints the count and the seconds. */

#include <stdint.h>

typedef int64_t word;
typedef struct { word first, second; int turn; } state;

enum { COLUMNS = 7, ROWS = 6, K = 4, STRIDE = ROWS + 1 };

static inline word run(word stones, int step) {
    int reach = 1;
    while (2 * reach <= K) {
        stones &= stones >> (reach * step);
        reach *= 2;
    }
    return stones & stones >> ((K - reach) * step);
}

static inline int has_line(word stones) {
    return (run(stones, 1) | run(stones, STRIDE) | run(stones, STRIDE - 1)
            | run(stones, STRIDE + 1)) != 0;
}

static inline int actions(state s, int64_t *out) {
    if (has_line(s.turn ? s.first : s.second)) return 0;
    word occupied = s.first | s.second, top = (word)1 << (ROWS - 1);
    int count = 0;
    for (int column = 0; column < COLUMNS; column++)
        if (!(occupied & top << column * STRIDE)) out[count++] = column;
    return count;
}

static inline state result(state s, int64_t a) {
    word occupied = s.first | s.second;
    word stone = (occupied + ((word)1 << a * STRIDE)) & ~occupied;
    return s.turn ? (state){s.first, s.second | stone, 0} : (state){s.first | stone, s.second, 1};
}

static const int ROW = COLUMNS;
static const state START = {0, 0, 0};

#include "perft.h"
