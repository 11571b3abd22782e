/* Connect Four's exact search in plain C: the tree of threefold/solve/exact.py node for node, with
   the hooks of threefold/games/connect_four/rules.py, as a measure of how far the compiled rules
   are from the metal.

   usage: connect_four_solve MEGABYTES POSITION...; prints the value of each position, then the
   nodes and the processor's seconds of them all. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int64_t word;
typedef struct { word first, second; int turn; } state;

enum { COLUMNS = 7, ROWS = 6, K = 4, STRIDE = ROWS + 1, MAX_PLY = COLUMNS * ROWS };
enum { SHALLOW = 6, NEAR = 6, UPPER = 1, LOWER = 2, EXACT = 3, BUCKET_WORDS = 8 };
static const word PLIES = 1 << 12, WON = 1 << 23, FIRST = 1 << 30, MOVE_MASK = 0xFFFFFFFF;

/* The rules. */

static const word COLUMN = (1 << ROWS) - 1;
static const int FROM_THE_MIDDLE[COLUMNS] = {3, 2, 4, 1, 5, 0, 6};
static word bottoms, board;

static inline word lsr(word x, int n) { return (word)((uint64_t)x >> n); }
static inline word shl(word x, int n) { return (word)((uint64_t)x << n); }
static inline word min(word a, word b) { return a < b ? a : b; }
static inline word max(word a, word b) { return a > b ? a : b; }

static inline word run(word stones, int step) {
    stones &= stones >> step;
    return stones & stones >> 2 * step;
}

static inline int has_line(word stones) {
    return (run(stones, 1) | run(stones, STRIDE) | run(stones, STRIDE - 1)
            | run(stones, STRIDE + 1)) != 0;
}

static inline word completing_along(word stones, int step) {
    word below = shl(stones, step), below2 = below & shl(stones, 2 * step);
    word behind = stones >> step, behind2 = behind & stones >> 2 * step;
    return (behind2 & stones >> 3 * step) | (below & behind2) | (below2 & behind)
        | (below2 & shl(stones, 3 * step));
}

static inline word completing(word stones) {
    return (shl(stones, 1) & shl(stones, 2) & shl(stones, 3)) | completing_along(stones, STRIDE)
        | completing_along(stones, STRIDE - 1) | completing_along(stones, STRIDE + 1);
}

static inline state result(state s, word a) {
    word occupied = s.first | s.second;
    word stone = (occupied + ((word)1 << a * STRIDE)) & ~occupied;
    return s.turn ? (state){s.first, s.second | stone, 0} : (state){s.first | stone, s.second, 1};
}

static inline int sufficient(state s, word *out) {
    word mine = s.turn ? s.second : s.first, theirs = s.turn ? s.first : s.second;
    if (has_line(theirs)) return 0;
    word landings = ((mine | theirs) + bottoms) & board;
    word wins = completing(mine) & landings;
    if (wins) {
        landings = wins & -wins;
    } else {
        word threats = completing(theirs) & board, forced = threats & landings;
        word harmless = landings & ~(threats >> 1);
        landings = forced ? forced & -forced : harmless ? harmless : landings & -landings;
    }
    int count = 0;
    for (int i = 0; i < COLUMNS; i++)
        if (landings & COLUMN << FROM_THE_MIDDLE[i] * STRIDE) out[count++] = FROM_THE_MIDDLE[i];
    return count;
}

static inline word order(state s, word a) {
    word occupied = s.first | s.second;
    word stone = (occupied + ((word)1 << a * STRIDE)) & ~occupied;
    word open_ends = completing((s.turn ? s.second : s.first) | stone) & board & ~occupied;
    return __builtin_popcountll(open_ends) * COLUMNS - labs(2 * a - COLUMNS + 1);
}

static inline word key(state s) { return (s.turn ? s.second : s.first) + (s.first | s.second); }

static state mirrored(state s) {
    word first = 0, second = 0;
    for (int column = 0; column < COLUMNS; column++) {
        first = first << STRIDE | (s.first >> column * STRIDE & COLUMN);
        second = second << STRIDE | (s.second >> column * STRIDE & COLUMN);
    }
    return (state){first, second, s.turn};
}

/* The table. */

static word *table, buckets;

static inline word mix(word x) {
    x = (word)((uint64_t)(x ^ lsr(x, 30)) * 0xBF58476D1CE4E5B9u);
    x = (word)((uint64_t)(x ^ lsr(x, 27)) * 0x94D049BB133111EBu);
    return x ^ lsr(x, 31);
}

static inline word key_at(state s, int ply) {
    return mix(ply <= NEAR ? min(key(s), key(mirrored(s))) : key(s));
}

static inline word *bucket_of(word hashed) {
    return table + (lsr(hashed, 32) * buckets >> 32) * BUCKET_WORDS;
}

static inline word probe(word hashed) {
    word *entry = bucket_of(hashed);
    for (int i = 0; i < BUCKET_WORDS; i += 2)
        if ((entry[i] ^ entry[i + 1]) == hashed) return entry[i + 1];
    return 0;
}

static inline void store(word hashed, word data) {
    word *entry = bucket_of(hashed), least = 1 << 20;
    int place = 0;
    for (int i = 0; i < BUCKET_WORDS; i += 2) {
        word old = entry[i + 1];
        if ((entry[i] ^ old) == hashed) {
            place = i;
            break;
        }
        word worth = old & 3 ? old >> 4 & 127 : -4096;
        if (worth < least) least = worth, place = i;
    }
    entry[place] = hashed ^ data;
    entry[place + 1] = data;
}

/* The search. */

static word rows[MAX_PLY + 2][COLUMNS], nodes;

static inline int list_at(state s, int ply) {
    nodes++;
    return sufficient(s, rows[ply]);
}

static inline word finished_value(state s, int ply) { /* to MAX */
    if (has_line(s.first)) return WON + PLIES - ply;
    return has_line(s.second) ? ply - WON - PLIES : 0;
}

static inline word from_here(word v, int ply) { return v >= WON ? v + ply : v <= -WON ? v - ply : v; }

static word search(state s, int n, word hashed, int ply, word alpha, word beta) {
    word *row = rows[ply], empty = board & ~(s.first | s.second);
    word low = has_line(s.second | empty) ? ply + 1 - WON - PLIES : 0;
    word high = has_line(s.first | empty) ? WON + PLIES - ply - 1 : 0;
    if (s.turn) {
        word swapped = -high;
        high = -low;
        low = swapped;
    }
    if (high <= alpha) return high;
    if (low >= beta) return low;
    if (high > WON && alpha == high - 1) {
        word best = alpha;
        for (int i = 0; i < n; i++) {
            state child = result(s, row[i]);
            if (list_at(child, ply + 1) == 0) {
                word value = finished_value(child, ply + 1);
                best = max(best, s.turn ? -value : value);
            }
        }
        return best;
    }
    alpha = max(alpha, low);
    beta = min(beta, high);

    int deep = MAX_PLY - __builtin_popcountll(s.first | s.second) > SHALLOW;
    if (deep) {
        word data = probe(hashed), first = -1;
        if (data) {
            word value = from_here(data >> 28, -ply);
            int bound = data & 3;
            if (bound == EXACT) return value;
            if (bound == LOWER) {
                if (value >= beta) return value;
                alpha = max(alpha, value);
                low = max(low, value);
            } else {
                if (value <= alpha) return value;
                beta = min(beta, value);
            }
            first = data >> 12 & 0xFFFF;
        }
        for (int i = 0; i < n; i++) {
            word a = row[i];
            if (ply >= NEAR) __builtin_prefetch(bucket_of(mix(key(result(s, a)))));
            word score = a == first ? FIRST : order(s, a);
            int j = i;
            for (; j > 0 && row[j - 1] >> 32 < score; j--) row[j] = row[j - 1];
            row[j] = shl(score, 32) | a;
        }
    }

    word nodes_before = nodes, best = low, best_move = -1, floor = alpha;
    for (int i = 0; i < n; i++) {
        word a = row[i] & MOVE_MASK, value;
        state child = result(s, a);
        int below = ply + 1, m = list_at(child, below);
        while (m == 1) {
            child = result(child, rows[below++][0]);
            m = list_at(child, below);
        }
        if (m == 0) {
            value = finished_value(child, below);
            value = s.turn ? -value : value;
        } else if (child.turn == s.turn) {
            value = search(child, m, key_at(child, below), below, floor, beta);
        } else {
            value = -search(child, m, key_at(child, below), below, -beta, -floor);
        }
        if (value > best) {
            best = value;
            best_move = a;
            if (best >= beta) break;
            floor = max(floor, best);
        }
    }
    if (deep) {
        word bound = best >= beta ? LOWER : best > alpha ? EXACT : UPPER;
        word effort = 63 - __builtin_clzll(nodes - nodes_before + 1);
        store(hashed, shl(from_here(best, ply), 28) | (best_move & 0xFFFF) << 12 | effort << 4 | bound);
    }
    return best;
}

/* The driver: null windows until the soonest win or the latest loss is known. */

static word utility_of(word v) {
    word size = llabs(v) < WON ? 0 : (llabs(v) - WON + PLIES - 1) / PLIES;
    return v < 0 ? -size : size;
}

static word above(word utility) {
    if (utility > 0) return WON + utility * PLIES;
    return utility >= -1 ? utility : (utility + 1) * PLIES - WON - 1;
}

static word value_of(state s) {
    word most = above(1 << 22), low = -most, high = most, guess = 0;
    int ply = 0, flipped = 0, n = list_at(s, ply);
    while (n == 1) {
        s = result(s, rows[ply++][0]);
        flipped = !flipped;
        n = list_at(s, ply);
    }
    if (n == 0) {
        word value = finished_value(s, ply);
        low = high = s.turn ? -value : value;
    }
    while (low < high) {
        word test = low, least = utility_of(low), greatest = utility_of(high);
        if (least < greatest) {
            test = max(above(min(max(guess, least), greatest - 1)), low);
        } else if (greatest > 0) {
            test = (max(low, above(greatest) - (MAX_PLY + 2)) + high) >> 1;
        } else {
            test = (low + min(high, MAX_PLY + 2 - above(-least))) >> 1;
        }
        word value = search(s, n, key_at(s, ply), ply, test, test + 1);
        if (value > test) {
            low = value;
            guess = utility_of(value);
        } else {
            high = value;
            guess = utility_of(value) - 1;
        }
        n = list_at(s, ply);
    }
    return flipped ? -low : low;
}

int main(int argc, char **argv) {
    for (int column = 0; column < COLUMNS; column++) bottoms |= (word)1 << column * STRIDE;
    board = bottoms * COLUMN;
    buckets = (atoll(argv[1]) << 20) / (8 * BUCKET_WORDS);
    table = aligned_alloc(2 << 20, buckets * 8 * BUCKET_WORDS);
    memset(table, 0, buckets * 8 * BUCKET_WORDS);
    struct timespec began, ended;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &began);
    for (int i = 2; i < argc; i++) {
        state s = {0, 0, 0};
        for (char *column = argv[i]; *column; column++) s = result(s, *column - '1');
        printf("%ld\n", (long)value_of(s));
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ended);
    double seconds = (ended.tv_sec - began.tv_sec) + (ended.tv_nsec - began.tv_nsec) / 1e9;
    printf("%ld %f\n", (long)nodes, seconds);
}
