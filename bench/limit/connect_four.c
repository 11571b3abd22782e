/* Connect Four perft in plain C: the same algorithm as threefold/games/connect_four/rules.py and
   engine/perft.py, as a measure of how far the compiled rules are from the metal.

   usage: connect_four DEPTH; prints the count and the seconds. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

/* The n moves of s stand in row; depth is at least 2. */
static int64_t count_below(state s, int n, int depth, int64_t *row) {
    int64_t total = 0, *next_row = row + COLUMNS;
    for (int i = 0; i < n; i++) {
        state child = result(s, row[i]);
        int m = actions(child, next_row);
        if (m > 0) total += depth == 2 ? m : count_below(child, m, depth - 1, next_row);
    }
    return total;
}

static int64_t count(state s, int depth, int64_t *row) {
    if (depth == 0) return 1;
    int n = actions(s, row);
    return depth == 1 ? n : count_below(s, n, depth, row);
}

int main(int argc, char **argv) {
    int depth = argc > 1 ? atoi(argv[1]) : 9;
    int64_t *rows = malloc(sizeof(int64_t) * COLUMNS * (depth + 1));
    struct timespec began, ended;
    clock_gettime(CLOCK_MONOTONIC, &began);
    int64_t nodes = count((state){0, 0, 0}, depth, rows);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    printf("%lld %.9f\n", (long long)nodes,
           (double)(ended.tv_sec - began.tv_sec) + 1e-9 * (double)(ended.tv_nsec - began.tv_nsec));
    free(rows);
    return 0;
}
