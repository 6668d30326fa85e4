// The products around the recurrence of an LSTM, for many stories and many trainings, by tensor cores
// (tensor_cores.cu) or, where most weights are zero, without them: see kernels.py.
//
// Defined by whoever compiles it: HIDDEN; AT_ONCE, the products that are summed up at a time; STAGES, those at work and
// those on their way; ROOM, bytes of shared memory for them; TOKENS, the words of a block that multiplies by a weight.

#define SIXTEENS ((HIDDEN + 3) / 4) // of the gates of a direction
#define APART(numbers) (((numbers) + 23) / 32 * 32 + 8) // a row in shared memory: no two threads want the same bank

// The gradient of a weight of one direction: the sum over all words of the gates' gradients times the INPUTS
// numbers that came to the gates, which stand at the word or `shift` words behind it in memory; nothing came from
// beyond the first and the last. A warp has sixteen gates, a block a part of a training's words. Gates and columns
// that only fill up sixteen or eight may be anything, and are never written. Numbers are copied a Part at a time.
// Two gates that stand side by side are one read: tensor cores do not mind which row is which.
template <int INPUTS, typename Part>
__device__ inline void gradient(const float4 *dx, const float *given, float *out, int shift, int tokens)
{
    constexpr int COLUMNS = (INPUTS + 7) / 8, GATES = APART(4 * HIDDEN), WIDTH = APART(8 * COLUMNS);
    constexpr int STAGE = AT_ONCE * (GATES + WIDTH), EACH = sizeof(Part) / sizeof(float), COPIES = INPUTS / EACH;
    static_assert(STAGES * STAGE * sizeof(float) <= ROOM, "too little room is given");
    SHARED_ROOM(room);
    float *const staged = (float *)room;
    const int group = blockIdx.y, lane = threadIdx.x % 32, eighth = lane / 4, quarter = lane % 4;
    const int gate = threadIdx.x / 32 * 16 + 2 * eighth;
    const int part = ((tokens - 1) / (int)gridDim.x / AT_ONCE + 1) * AT_ONCE;
    const int first = blockIdx.x * part, last = min(tokens, first + part);
    if (first >= tokens)
        return;
    const int stages = (last - first - 1) / AT_ONCE + 1;
    dx += ((long long)(group / 2) * tokens * 2 + group % 2) * HIDDEN;
    given += (long long)(group / 2) * tokens * 2 * HIDDEN;

    const auto take = [&](int stage) {
        float *const gates = staged + stage % STAGES * STAGE, *const numbers = gates + AT_ONCE * GATES;
        const int begin = first + stage * AT_ONCE;
        for (int i = threadIdx.x; i < AT_ONCE * HIDDEN && stage < stages; i += blockDim.x) {
            const int token = begin + i / HIDDEN;
            const bool is = token < last;
            bring((float4 *)(gates + i / HIDDEN * GATES) + i % HIDDEN,
                  dx + (is ? token * 2LL * HIDDEN + i % HIDDEN : 0), is);
        }
        for (int i = threadIdx.x; i < AT_ONCE * COPIES && stage < stages; i += blockDim.x) {
            const int token = begin + i / COPIES, there = token + shift, from = i % COPIES * EACH;
            const bool is = token < last && there >= 0 && there < tokens;
            bring((Part *)(numbers + i / COPIES * WIDTH + from),
                  (const Part *)(given + (is ? there * 2LL * HIDDEN + from : 0)), is);
        }
        closed();
    };
    float sums[COLUMNS][4] = {};
    for (int stage = 0; stage < STAGES - 1; stage++)
        take(stage);
    for (int stage = 0; stage < stages; stage++) {
        arrived<STAGES - 2>();
        __syncthreads(); // all copies have arrived, and nobody still reads what the next ones replace
        take(stage + STAGES - 1);
        const float *const gates = staged + stage % STAGES * STAGE + quarter * GATES + gate;
        const float *const numbers = staged + stage % STAGES * STAGE + AT_ONCE * GATES + quarter * WIDTH + eighth;
        unsigned high[AT_ONCE / 8][4], low[AT_ONCE / 8][4];
#pragma unroll
        for (int i = 0; i < AT_ONCE / 4; i++) {
            const float2 given = *(const float2 *)(gates + 4 * i * GATES);
            const Four parts = split(given.x, given.y);
#pragma unroll
            for (int j = 0; j < 2; j++)
                high[i / 2][i % 2 * 2 + j] = parts.high[j], low[i / 2][i % 2 * 2 + j] = parts.low[j];
        }
#pragma unroll
        for (int column = 0; column < COLUMNS; column += 2) { // two take turns: neither waits for its last product
            // Tensor cores cut off where others round, so they make only short sums; these are added up here.
            float large[2][4] = {}, small[2][4] = {};
#pragma unroll
            for (int i = 0; i < AT_ONCE / 8; i++) {
                unsigned above[2][2], below[2][2];
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    const int from = column + j / 2 < COLUMNS ? column + j / 2 : column;
                    const Two parts = split(numbers[(8 * i + j % 2 * 4) * WIDTH + 8 * from]);
                    above[j / 2][j % 2] = parts.high, below[j / 2][j % 2] = parts.low;
                }
#pragma unroll
                for (int j = 0; j < 6; j++)
                    if (column + j % 2 < COLUMNS)
                        multiply(j / 2 == 1 ? large[j % 2] : small[j % 2], j < 2 ? low[i] : high[i],
                                 j < 4 ? above[j % 2] : below[j % 2]);
            }
#pragma unroll
            for (int i = 0; i < 8; i++)
                if (column + i / 4 < COLUMNS)
                    sums[column + i / 4][i % 4] += large[i / 4][i % 4] + small[i / 4][i % 4];
        }
    }
#pragma unroll
    for (int column = 0; column < COLUMNS; column++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int row = gate + i / 2, from = 8 * column + 2 * quarter + i % 2;
            if (row < 4 * HIDDEN && from < INPUTS)
                atomicAdd(out + ((long long)group * 4 * HIDDEN + row) * INPUTS + from, sums[column][i]);
        }
}

// Of the weight that projects the states of the layer below.
extern "C" __global__ void __launch_bounds__(32 * SIXTEENS, 1)
of_input(const float4 *dx, const float *states, float *dw, int stories, int words)
{
    gradient<2 * HIDDEN, float2>(dx, states, dw, 0, stories * words);
}

// Of the recurrent weight: with the state of the step before, which is one word back or, backwards, one ahead.
// Beyond the last word of a story the states are zero.
extern "C" __global__ void __launch_bounds__(32 * SIXTEENS)
of_states(const float4 *dx, const float *h, float *dw, int stories, int words)
{
    const int back = blockIdx.y % 2, shift = back ? stories : -stories;
    if constexpr (HIDDEN % 2)
        gradient<HIDDEN, float>(dx, h + back * HIDDEN, dw, shift, stories * words);
    else
        gradient<HIDDEN, float2>(dx, h + back * HIDDEN, dw, shift, stories * words);
}

#define SIDE (2 * HIDDEN)

// out = given times a weight of each training, [8 HIDDEN, 2 HIDDEN]: from states to gates by its transpose, a block
// for each quarter of the gates; or back from all gates to states, in DEEP sums. A warp has 32 words. Blocks of a
// training are numbered in one dimension, since a GPU allows only 16 bits for the second one of a grid.
template <bool DEEP> __device__ inline void product(const float *given, const float *w, float *out, int tokens)
{
    constexpr int COLUMNS = (SIDE + 7) / 8, DEPTH = DEEP ? 4 * SIDE : SIDE, WIDTH = DEEP ? SIDE : 4 * SIDE;
    constexpr int ROW = AT_ONCE + 4, ACROSS = DEEP ? APART(8 * COLUMNS) : ROW; // no two threads want the same bank
    constexpr int STAGE = TOKENS * ROW + (DEEP ? AT_ONCE : 8 * COLUMNS) * ACROSS, LAST = (DEPTH - 1) / AT_ONCE + 1;
    constexpr int BLOCKS = WIDTH / SIDE; // of the same words
    static_assert(STAGES * STAGE * sizeof(float) <= ROOM, "too little room is given");
    SHARED_ROOM(room);
    float *const staged = (float *)room;
    const int lane = threadIdx.x % 32, eighth = lane / 4, quarter = lane % 4, own = threadIdx.x / 32 * 32;
    const int first = blockIdx.x / BLOCKS * TOKENS, block = blockIdx.x % BLOCKS;
    given += ((long long)blockIdx.y * tokens + first) * DEPTH;
    out += (((long long)blockIdx.y * tokens + first) * BLOCKS + block) * SIDE;
    w += ((long long)blockIdx.y * 4 + block) * SIDE * SIDE;

    const auto take = [&](int stage) {
        float *const rows = staged + stage % STAGES * STAGE, *const weights = rows + TOKENS * ROW;
        for (int i = threadIdx.x; i < TOKENS * AT_ONCE / 2 && stage < LAST; i += blockDim.x) {
            const int token = i / (AT_ONCE / 2), two = i % (AT_ONCE / 2) * 2, k = stage * AT_ONCE + two;
            const bool is = first + token < tokens && k < DEPTH;
            bring((float2 *)(rows + token * ROW + two), (const float2 *)(given + (is ? token * DEPTH + k : 0)), is);
        }
        for (int i = threadIdx.x; i < AT_ONCE * HIDDEN && stage < LAST; i += blockDim.x) {
            constexpr int TWOS = DEEP ? HIDDEN : AT_ONCE / 2; // of a row
            const int row = i / TWOS, two = i % TWOS * 2;
            const int k = stage * AT_ONCE + (DEEP ? row : two);
            bring((float2 *)(weights + row * ACROSS + two),
                  (const float2 *)(w + (k < DEPTH ? DEEP ? k * SIDE + two : row * SIDE + k : 0)), k < DEPTH);
        }
        closed();
    };
    float sums[2][COLUMNS][4] = {};
    for (int stage = 0; stage < STAGES - 1; stage++)
        take(stage);
    for (int stage = 0; stage < LAST; stage++) {
        arrived<STAGES - 2>();
        __syncthreads();
        take(stage + STAGES - 1);
        const float *const begin = staged + stage % STAGES * STAGE;
        const float *const rows = begin + (own + eighth) * ROW + quarter;
        const float *const weights =
            begin + TOKENS * ROW + (DEEP ? quarter * ACROSS + eighth : eighth * ACROSS + quarter);
        unsigned high[2][AT_ONCE / 8][4], low[2][AT_ONCE / 8][4];
#pragma unroll
        for (int half = 0; half < 2; half++)
#pragma unroll
            for (int i = 0; i < AT_ONCE / 8; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    const Two parts = split(rows[(16 * half + j % 2 * 8) * ROW + 8 * i + j / 2 * 4]);
                    high[half][i][j] = parts.high, low[half][i][j] = parts.low;
                }
#pragma unroll
        for (int column = 0; column < COLUMNS; column += 2) { // four take turns: none waits for its last product
            float part[2][2][4] = {};
#pragma unroll
            for (int i = 0; i < AT_ONCE / 8; i++) {
                Four weight[2];
#pragma unroll
                for (int j = 0; j < 2; j++) {
                    const int k = 8 * i, to = 8 * (column + j < COLUMNS ? column + j : column);
                    const float *const at = weights + (DEEP ? k * ACROSS + to : to * ACROSS + k);
                    weight[j] = split(at[0], at[DEEP ? 4 * ACROSS : 4]);
                }
#pragma unroll
                for (int turn = 0; turn < 12; turn++) {
                    const int half = turn % 2, j = turn / 2 % 2;
                    if (column + j < COLUMNS)
                        multiply(part[j][half], turn < 4 ? low[half][i] : high[half][i],
                                 turn / 4 == 1 ? weight[j].low : weight[j].high);
                }
            }
#pragma unroll
            for (int i = 0; i < 16; i++)
                if (column + i / 8 < COLUMNS)
                    sums[i / 4 % 2][column + i / 8][i % 4] += part[i / 8][i / 4 % 2][i % 4];
        }
    }
#pragma unroll
    for (int half = 0; half < 2; half++)
#pragma unroll
        for (int column = 0; column < COLUMNS; column++)
#pragma unroll
            for (int i = 0; i < 2; i++) {
                const int token = own + 16 * half + eighth + 8 * i, to = 8 * column + 2 * quarter;
                const float *const sum = sums[half][column] + 2 * i;
                if (first + token < tokens && to < SIDE)
                    *(float2 *)(out + (long long)token * WIDTH + to) = {sum[0], sum[1]};
            }
}

extern "C" __global__ void __launch_bounds__(TOKENS, 3)
to_gates(const float *states, const float *w, float *x, int tokens)
{
    product<false>(states, w, x, tokens);
}

extern "C" __global__ void __launch_bounds__(TOKENS, 3)
to_states(const float *dx, const float *w, float *dstates, int tokens)
{
    product<true>(dx, w, dstates, tokens);
}

// The states of a story pooled for each of its nodes, and back. Most weights are zero: what they would multiply is
// not read. h [N, T, B, 2 HIDDEN], weights [N, B, nodes, T], pooled [N, B, nodes, 2 HIDDEN]. A block is a warp; a
// thread has every 32nd number.
#define NUMBERS ((2 * HIDDEN + 31) / 32)

// Does something with each of 32 words from `first` on that has a weight for a node.
template <typename Use> __device__ inline void each_with_weight(const float *of_node, int first, int words, Use use)
{
    const int word = first + threadIdx.x;
    const float weight = word < words ? of_node[word] : 0.0f;
    for (unsigned left = __ballot_sync(~0u, weight != 0.0f); left; left &= left - 1) {
        const int next = __ffs(left) - 1;
        use(first + next, __shfl_sync(~0u, weight, next));
    }
}

// What stands for each node: a weighted sum of the states at all words. A block has a node of a story.
extern "C" __global__ void __launch_bounds__(32)
pool(const float *__restrict__ weights, float *__restrict__ pooled, const float *__restrict__ h, int nodes,
     int stories, int words)
{
    const long long node = (long long)blockIdx.y * stories * nodes + blockIdx.x, step = 2LL * HIDDEN * stories;
    h += ((long long)blockIdx.y * words * stories + blockIdx.x / nodes) * 2 * HIDDEN;
    float sums[NUMBERS] = {};
    for (int first = 0; first < words; first += 32)
        each_with_weight(weights + node * words, first, words, [&](int word, float weight) {
#pragma unroll
            for (int i = 0; i < NUMBERS; i++) {
                const int at = 32 * i + threadIdx.x;
                sums[i] += at < 2 * HIDDEN ? weight * h[word * step + at] : 0.0f;
            }
        });
#pragma unroll
    for (int i = 0; i < NUMBERS; i++)
        if (32 * i + threadIdx.x < 2 * HIDDEN)
            pooled[node * 2 * HIDDEN + 32 * i + threadIdx.x] = sums[i];
}

// The gradient of the states from that of the nodes. A block has 32 words of a story.
extern "C" __global__ void __launch_bounds__(32)
unpool(const float *__restrict__ weights, const float *__restrict__ dpooled, float *dh, int nodes, int stories,
       int words)
{
    const int parts = (words + 31) / 32, own = blockIdx.x / parts, begin = blockIdx.x % parts * 32;
    const long long story = (long long)blockIdx.y * stories + own, step = 2LL * HIDDEN * stories;
    dh += ((long long)blockIdx.y * words * stories + own) * 2 * HIDDEN;
    for (int word = begin; word < min(words, begin + 32); word++)
        for (int at = threadIdx.x; at < 2 * HIDDEN; at += 32)
            dh[word * step + at] = 0.0f;
    for (int node = 0; node < nodes; node++) {
        const float *const given = dpooled + (story * nodes + node) * 2 * HIDDEN;
        each_with_weight(weights + (story * nodes + node) * words, begin, words, [&](int word, float weight) {
            for (int at = threadIdx.x; at < 2 * HIDDEN; at += 32)
                dh[word * step + at] += weight * given[at];
        });
    }
}
