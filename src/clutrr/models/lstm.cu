// The recurrence of an LSTM in both directions, for many stories and many trainings: see kernels.py.
//
// A block has ROWS stories of one training in one direction, and walks through their words. The
// recurrent weights are in registers, each thread's share of them; what the threads tell each other
// from step to step is in shared memory, in two buffers that take turns. A thread uses what it reads
// there for four products, since reading is what limits this. HIDDEN and ROWS are defined by whoever
// compiles it.

#define GATES (4 * HIDDEN) // in torch's order: into, keep, new, out
#define HALF ((HIDDEN + 7) / 8 * 4)
#define PAD (2 * HALF)
#define EACH ((ROWS + 1) / 2) // rows of a thread: every other one
#define WARPS(threads) (((threads) + 31) / 32 * 32)
#define ALL 0xffffffffu

__device__ inline float squash(float x) { return __fdividef(1.0f, 1.0f + __expf(-x)); }

__device__ inline float bend(float x) { return 2.0f * squash(2.0f * x) - 1.0f; }

// Where the word of step t stands: the second direction starts at the last word, and meets padding last.
__device__ inline long long place(long long story, int t, int size, int words, int back)
{
    const int word = back && t < size ? size - 1 - t : t;
    return (story * words + word) * 2 + back;
}

// Adds to four sums the products of a stretch of a row with four stretches of weights.
__device__ inline void add_products(float *sums, const float *row, const float weight[4][HALF])
{
#pragma unroll
    for (int k = 0; k < HALF; k += 4) {
        const float4 v = *(const float4 *)(row + k);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            sums[i] += v.x * weight[i][k];
            sums[i] += v.y * weight[i][k + 1];
            sums[i] += v.z * weight[i][k + 2];
            sums[i] += v.w * weight[i][k + 3];
        }
    }
}

// Two neighbouring threads have a unit in every other row: each sums up half of the products for all four
// gates. Then the first has the gates into and new, and the second keep and out, and the state.
extern "C" __global__ void __launch_bounds__(WARPS(GATES))
ahead(const float *x, const float *w, const float *bias, const long long *length, float *h_out, float *before_out,
      float *c_out, float *gates_out, int stories, int words)
{
    __shared__ __align__(16) float h[2][ROWS][PAD];
    __shared__ int size[ROWS];
    const int group = blockIdx.y, back = group % 2, second = threadIdx.x % 2;
    const bool works = threadIdx.x < GATES;
    const int unit = threadIdx.x / 2 % HIDDEN, odd = works ? threadIdx.x / 2 / HIDDEN : 0;
    const int rows = min(ROWS, stories - (int)blockIdx.x * ROWS);
    const long long first = (long long)(group / 2) * stories + blockIdx.x * ROWS;

    float weight[4][HALF];
#pragma unroll
    for (int gate = 0; gate < 4; gate++)
#pragma unroll
        for (int k = 0; k < HALF; k++) {
            const int from = second * HALF + k;
            weight[gate][k] =
                from < HIDDEN ? w[((long long)group * GATES + gate * HIDDEN + unit) * HIDDEN + from] : 0.0f;
        }
    const float one_bias = bias[group * GATES + second * HIDDEN + unit];
    const float other_bias = bias[group * GATES + (second + 2) * HIDDEN + unit];
    for (int i = threadIdx.x; i < 2 * ROWS * PAD; i += WARPS(GATES))
        h[i / (ROWS * PAD)][i / PAD % ROWS][i % PAD] = 0.0f;
    if (threadIdx.x < ROWS)
        size[threadIdx.x] = threadIdx.x < rows ? (int)length[first + threadIdx.x] : 0;
    __syncthreads();

    float c[EACH] = {}, next[EACH][2] = {};
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const int r = odd + 2 * i;
        if (works && r < rows) {
            const float *at = x + place(first + r, 0, size[r], words, back) * GATES + unit;
            next[i][0] = at[second * HIDDEN];
            next[i][1] = at[(second + 2) * HIDDEN];
        }
    }
    for (int t = 0; t < words; t++) {
        float(*now)[PAD] = h[t % 2], (*then)[PAD] = h[(t + 1) % 2];
#pragma unroll
        for (int begin = 0; begin < EACH; begin += 4) {
            float sums[4][4] = {};
#pragma unroll
            for (int i = begin; i < min(begin + 4, EACH); i++)
                add_products(sums[i - begin], now[min(odd + 2 * i, ROWS - 1)] + second * HALF, weight);
#pragma unroll
            for (int i = begin; i < min(begin + 4, EACH); i++) {
                const int r = odd + 2 * i;
                const float *sum = sums[i - begin];
                float one = second ? sum[1] : sum[0], other = second ? sum[3] : sum[2];
                one += __shfl_xor_sync(ALL, second ? sum[0] : sum[1], 1);
                other += __shfl_xor_sync(ALL, second ? sum[2] : sum[3], 1);
                const float steep = second ? 1.0f : 2.0f; // the gate new is bent: 2 squash(2 x) - 1
                one = squash(one + next[i][0] + one_bias);
                other = steep * squash(steep * (other + next[i][1] + other_bias)) + 1.0f - steep;
                const float added = __shfl_xor_sync(ALL, one * other, 1);
                if (!works || r >= rows)
                    continue;
                const long long at = place(first + r, t, size[r], words, back);
                gates_out[at * GATES + second * HIDDEN + unit] = one;
                gates_out[at * GATES + (second + 2) * HIDDEN + unit] = other;
                if (second) {
                    c[i] = one * c[i] + added;
                    const float state = other * bend(c[i]);
                    then[r][unit] = state;
                    h_out[at * HIDDEN + unit] = state;
                    c_out[at * HIDDEN + unit] = c[i];
                } else {
                    before_out[at * HIDDEN + unit] = now[r][unit];
                }
                if (t + 1 < words) { // fetched long before it is needed
                    const float *from = x + place(first + r, t + 1, size[r], words, back) * GATES + unit;
                    next[i][0] = from[second * HIDDEN];
                    next[i][1] = from[(second + 2) * HIDDEN];
                }
            }
        }
        __syncthreads();
    }
}

#define QUARTERS ((HIDDEN + 3) / 4) // of four units each
#define BACKS (16 * QUARTERS)
#define OWN ((EACH + 1) / 2) // rows whose gradients a thread has: every fourth

// Eight neighbouring threads have four units in every other row: each sums up an eighth of the products
// for all four. Then each has one unit, in every fourth row.
extern "C" __global__ void __launch_bounds__(WARPS(BACKS))
back(const float *w, const long long *length, const float *c_all, const float *gates, const float *dh_all, float *dx,
     int stories, int words)
{
    __shared__ __align__(16) float told[2][ROWS][4 * PAD]; // gradients of what comes to the gates
    __shared__ int size[ROWS];
    const int group = blockIdx.y, back = group % 2, eighth = threadIdx.x % 8, later = eighth % 2;
    const bool works = threadIdx.x < BACKS;
    const int quarter = threadIdx.x / 8 % QUARTERS, odd = works ? threadIdx.x / 8 / QUARTERS : 0;
    const int unit = 4 * quarter + eighth / 2; // whose gradients it has
    const int rows = unit < HIDDEN && works ? min(ROWS, stories - (int)blockIdx.x * ROWS) : 0;
    const long long first = (long long)(group / 2) * stories + blockIdx.x * ROWS;

    float weight[4][HALF];
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int k = 0; k < HALF; k++) {
            const int from = eighth % 2 * HALF + k, to = 4 * quarter + i;
            weight[i][k] = from < HIDDEN && to < HIDDEN
                               ? w[((long long)group * GATES + eighth / 2 * HIDDEN + from) * HIDDEN + to]
                               : 0.0f;
        }
    for (int i = threadIdx.x; i < 2 * ROWS * 4 * PAD; i += WARPS(BACKS))
        told[i / (ROWS * 4 * PAD)][i / (4 * PAD) % ROWS][i % (4 * PAD)] = 0.0f;
    if (threadIdx.x < ROWS)
        size[threadIdx.x] =
            threadIdx.x + blockIdx.x * ROWS < stories ? (int)length[first + threadIdx.x] : 0;
    __syncthreads();

    float dc[OWN] = {}, d[OWN] = {}, c[OWN], c_before[OWN], into[OWN], keep[OWN], fresh[OWN], out[OWN], dh[OWN];
#pragma unroll
    for (int i = 0; i < OWN; i++) {
        const int r = odd + 2 * (2 * i + later);
        if (r < rows)
            c_before[i] = c_all[place(first + r, words - 1, size[r], words, back) * HIDDEN + unit];
    }
    for (int t = words; t >= 0; t--) {
        float(*now)[4 * PAD] = told[t % 2];
        // The gradients of step t, unless it is the first time; then fetch what the step before needs.
#pragma unroll
        for (int i = 0; i < OWN; i++) {
            const int r = odd + 2 * (2 * i + later);
            if (r >= rows)
                continue;
            if (t < words) {
                const float bent = bend(c[i]), all = d[i] + dh[i];
                dc[i] += all * out[i] * (1.0f - bent * bent);
                const float to_into = dc[i] * fresh[i] * into[i] * (1.0f - into[i]);
                const float to_keep = dc[i] * c_before[i] * keep[i] * (1.0f - keep[i]);
                const float to_fresh = dc[i] * into[i] * (1.0f - fresh[i] * fresh[i]);
                const float to_out = all * bent * out[i] * (1.0f - out[i]);
                dc[i] *= keep[i];
                now[r][unit] = to_into;
                now[r][PAD + unit] = to_keep;
                now[r][2 * PAD + unit] = to_fresh;
                now[r][3 * PAD + unit] = to_out;
                float *at = dx + place(first + r, t, size[r], words, back) * GATES + unit;
                at[0] = to_into;
                at[HIDDEN] = to_keep;
                at[2 * HIDDEN] = to_fresh;
                at[3 * HIDDEN] = to_out;
            }
            if (t > 0) {
                const long long at = place(first + r, t - 1, size[r], words, back);
                c[i] = c_before[i];
                c_before[i] =
                    t > 1 ? c_all[place(first + r, t - 2, size[r], words, back) * HIDDEN + unit] : 0.0f;
                into[i] = gates[at * GATES + unit];
                keep[i] = gates[at * GATES + HIDDEN + unit];
                fresh[i] = gates[at * GATES + 2 * HIDDEN + unit];
                out[i] = gates[at * GATES + 3 * HIDDEN + unit];
                dh[i] = dh_all[at * HIDDEN + unit];
            }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < OWN; i++) {
            float sums[2][4] = {}, kept[2];
#pragma unroll
            for (int j = 0; j < 2; j++) {
                float *sum = sums[j];
                add_products(sum, now[min(odd + 2 * (2 * i + j), ROWS - 1)] + eighth * HALF, weight);
                const bool high = eighth & 4, middle = eighth & 2;
                float one = high ? sum[2] : sum[0], other = high ? sum[3] : sum[1];
                one += __shfl_xor_sync(ALL, high ? sum[0] : sum[2], 4);
                other += __shfl_xor_sync(ALL, high ? sum[1] : sum[3], 4);
                kept[j] = middle ? other : one;
                kept[j] += __shfl_xor_sync(ALL, middle ? one : other, 2);
            }
            d[i] = later ? kept[1] : kept[0];
            d[i] += __shfl_xor_sync(ALL, later ? kept[0] : kept[1], 1);
        }
    }
}
