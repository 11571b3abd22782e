/* Perft over a game's state, actions and result, as engine/perft.py has it, and its timing.
   Needs ROW, the length of a row of moves, and START, the position to count from. */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* The n moves of s stand in row; depth is at least 2. */
static int64_t count_below(state s, int n, int depth, int64_t *row) {
    int64_t total = 0, *next_row = row + ROW;
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
    int64_t *rows = malloc(sizeof(int64_t) * ROW * (depth + 1));
    struct timespec began, ended;
    clock_gettime(CLOCK_MONOTONIC, &began);
    int64_t nodes = count(START, depth, rows);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    printf("%lld %.9f\n", (long long)nodes,
           (double)(ended.tv_sec - began.tv_sec) + 1e-9 * (double)(ended.tv_nsec - began.tv_nsec));
    free(rows);
    return 0;
}
