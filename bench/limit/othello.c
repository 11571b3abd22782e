/* Othello perft in plain C: the same algorithm as threefold/games/othello/rules.py and
   engine/perft.py, as a measure of how far the compiled rules are from the metal.

   usage: othello DEPTH; prints the count and the seconds. */

#include <stdint.h>

typedef uint64_t word;
typedef struct { word black, white; int turn; } state;

enum { SIZE = 8, SQUARES = 64, MAX_MOVES = 64 };
static const word INNER = 0x7e7e7e7e7e7e7e7eULL;

static inline word ray_up(word stones, word through, int step) {
    word ray = through & (stones << step);
    for (int i = 0; i < SIZE - 3; i++) ray |= through & (ray << step);
    return ray;
}

static inline word ray_down(word stones, word through, int step) {
    word ray = through & (stones >> step);
    for (int i = 0; i < SIZE - 3; i++) ray |= through & (ray >> step);
    return ray;
}

static inline word reached(word mine, word through, int step) {
    return ray_up(mine, through, step) << step | ray_down(mine, through, step) >> step;
}

static inline word placements(word mine, word theirs) {
    word inner = theirs & INNER;
    word ends = reached(mine, inner, 1) | reached(mine, theirs, SIZE)
              | reached(mine, inner, SIZE - 1) | reached(mine, inner, SIZE + 1);
    return ends & ~(mine | theirs);
}

static inline word bracketed(word disc, word mine, word through, int step) {
    word turned = 0, ray = ray_up(disc, through, step);
    if (ray << step & mine) turned |= ray;
    ray = ray_down(disc, through, step);
    if (ray >> step & mine) turned |= ray;
    return turned;
}

static inline int actions(state s, int64_t *out) {
    word mine = s.turn ? s.white : s.black, theirs = s.turn ? s.black : s.white;
    word places = placements(mine, theirs);
    if (!places) {
        if (!placements(theirs, mine)) return 0;
        out[0] = SQUARES;
        return 1;
    }
    int count = 0;
    for (; places; places &= places - 1) out[count++] = __builtin_ctzll(places);
    return count;
}

static inline state result(state s, int64_t a) {
    if (a == SQUARES) return (state){s.black, s.white, !s.turn};
    word mine = s.turn ? s.white : s.black, theirs = s.turn ? s.black : s.white;
    word disc = 1ULL << a, inner = theirs & INNER;
    word turned = bracketed(disc, mine, inner, 1) | bracketed(disc, mine, theirs, SIZE)
                | bracketed(disc, mine, inner, SIZE - 1) | bracketed(disc, mine, inner, SIZE + 1);
    mine |= disc | turned;
    theirs &= ~turned;
    return s.turn ? (state){theirs, mine, 0} : (state){mine, theirs, 1};
}

static const int ROW = MAX_MOVES;
static const state START = {1ULL << 28 | 1ULL << 35, 1ULL << 27 | 1ULL << 36, 0};

#include "perft.h"
