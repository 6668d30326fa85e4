// The recurrence of an LSTM in both directions, for many stories and many trainings: see kernels.py.
//
// A block has the stories of one training in one direction, eight in each of its TILES, and walks through their
// words. The recurrent weights are in registers, each warp's share of them; what the warps tell each other from
// step to step is in shared memory. Products are made by the tensor cores (tensor_cores.cu): sixteen rows of weights
// times the eight stories of a tile. HIDDEN and TILES (four at most) are defined by whoever compiles it.

#define ROWS (8 * TILES)
#define GROUPS ((HIDDEN + 7) / 8) // of eight units; a warp each
#define STRIDE (4 * (GROUPS | 1)) // of a row in shared memory; so that no two threads want the same bank

// 1 / (1 + 2^x), and from it the curves of gates and cells: wrong by a few of the last bits that a float has at 1.
__device__ inline float falling(float x)
{
#ifdef __CUDA_ARCH__
    float power, inverse;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(1.0f + power));
    return inverse;
#else
    return 1.0f / (1.0f + exp2f(x));
#endif
}

#define LOG2_E 1.44269504f
__device__ inline float squash(float x) { return falling(-LOG2_E * x); }
__device__ inline float bend(float x) { return 1.0f - 2.0f * falling(2.0f * LOG2_E * x); } // tanh

// Where a story begins for a direction: the second starts at the last word. Word by word, all stories of a
// training stand side by side, so that what a block needs in a step is in one place.
__device__ inline int start(int training, int story, int stories, int size, int words, int back)
{
    return ((training * words + (back ? size - 1 : 0)) * stories + story) * 2 + back;
}

// Where to read what comes to the gates at a place: there or, if words share rows, in the row of the word there.
__device__ inline int row_of(const long long *number, int place)
{
    return number ? 2 * (int)number[place / 2] + place % 2 : place;
}

__device__ inline void add(float4 *to, float4 value)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(value.x), "f"(value.y), "f"(value.z),
                 "f"(value.w)
                 : "memory");
#else
    atomicAdd(&to->x, value.x);
    atomicAdd(&to->y, value.y);
    atomicAdd(&to->z, value.z);
    atomicAdd(&to->w, value.w);
#endif
}

// Zeros where a block's stories are over: gradients of weights are sums over all places, and what stands just behind
// a story is the state from which the second direction starts.
__device__ inline void clear(float *values, int each, int group, int first, int rows, const int *size, int stories,
                             int words)
{
    for (int row = 0; row < rows; row++)
        for (int word = size[row]; word < words; word++) {
            float *at = values + (long long)start(group / 2, first + row, stories, 0, words, 0) * each;
            for (int i = threadIdx.x; i < each; i += blockDim.x)
                at[((long long)word * stories * 2 + group % 2) * each + i] = 0.0f;
        }
}

#define EARLY 6 // steps: what is fetched this long before it is needed is there when a thread asks for it

__device__ inline void fetch(const void *at)
{
#ifdef __CUDA_ARCH__
    asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
#endif
}

// A warp has eight units, and of each all four gates: into and keep are the 16 rows of one product, new and out
// those of another. So a thread has all that a unit needs in two stories of a tile. Which rows of x the next steps
// need is looked up before they come, by a thread for each story.
//
// All threads do the same all the time. Units that only fill a group of eight read what the last one does, and have
// weights of zero; rows without a story, or whose story is over, read row 0 of x. None of that leaves the block,
// and what a row comes to does not depend on the other rows.
extern "C" __global__ void __launch_bounds__(32 * GROUPS)
ahead(const float4 *x, const float *w, const float4 *bias, const long long *length, const long long *number,
      float *h_out, float *c_out, float4 *gates_out, int named, int stories, int words)
{
    __shared__ Four h[2][ROWS][STRIDE];
    __shared__ int size[ROWS], source[EARLY + 2][ROWS];
    const int group = blockIdx.y, back = group % 2, lane = threadIdx.x % 32, eighth = lane / 4, quarter = lane % 4;
    const int unit = threadIdx.x / 32 * 8 + eighth, known = min(unit, HIDDEN - 1);
    const bool works = unit < HIDDEN;
    const int first = blockIdx.x * ROWS, rows = min(ROWS, stories - first), step = back ? -2 * stories : 2 * stories;

    unsigned high[2][GROUPS][4], low[2][GROUPS][4];
#pragma unroll
    for (int pair = 0; pair < 2; pair++)
#pragma unroll
        for (int k = 0; k < GROUPS; k++)
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const int gate = 2 * pair + i % 2, from = 8 * k + 2 * quarter + i / 2;
                const float weight = works && from < HIDDEN
                                         ? w[((long long)(group * 4 + gate) * HIDDEN + unit) * HIDDEN + from]
                                         : 0.0f;
                const Two parts = split(weight);
                high[pair][k][i] = parts.high;
                low[pair][k][i] = parts.low;
            }
    for (int i = threadIdx.x; i < 2 * ROWS * STRIDE; i += blockDim.x)
        h[i / (ROWS * STRIDE)][i / STRIDE % ROWS][i % STRIDE] = {};
    for (int i = threadIdx.x; i < ROWS; i += blockDim.x)
        size[i] = i < rows ? (int)length[(long long)(group / 2) * stories + first + i] : 0;
    const float4 none = {0.0f, 0.0f, 0.0f, 0.0f}, own = works ? bias[group * HIDDEN + unit] : none;
    __syncthreads();
    clear(h_out, HIDDEN, group, first, rows, size, stories, words);
    const int each = threadIdx.x % ROWS;
    const auto look_up = [&](int t) {
        const int place = start(group / 2, first + each, stories, size[each], words, back) + t * step;
        return t < size[each] ? row_of(named ? number : nullptr, place) : 0;
    };
    for (int t = 0; t <= EARLY && threadIdx.x < ROWS; t++)
        source[t][each] = look_up(t);
    int coming = threadIdx.x < ROWS ? look_up(EARLY + 1) : 0;
    __syncthreads();

    int steps[TILES][2], at[TILES][2], longest = 0;
    float4 next[TILES][2];
    float c[TILES][2] = {};
#pragma unroll
    for (int tile = 0; tile < TILES; tile++)
#pragma unroll
        for (int j = 0; j < 2; j++) {
            const int row = 8 * tile + 2 * quarter + j;
            steps[tile][j] = works ? size[row] : 0;
            at[tile][j] = start(group / 2, first + row, stories, size[row], words, back);
            next[tile][j] = x[(long long)source[0][row] * HIDDEN + known];
        }
    for (int i = 0; i < ROWS; i++)
        longest = max(longest, size[i]);
    for (int t = 0; t < longest; t++) {
        Four(*now)[STRIDE] = h[t % 2], (*then)[STRIDE] = h[(t + 1) % 2];
        if (threadIdx.x < ROWS) {
            source[(t + EARLY + 1) % (EARLY + 2)][each] = coming;
            coming = look_up(t + EARLY + 2);
        }
#pragma unroll
        for (int tile = 0; tile < TILES; tile++) {
            int soon[2], later[2];
#pragma unroll
            for (int j = 0; j < 2; j++) {
                soon[j] = source[(t + 1) % (EARLY + 2)][8 * tile + 2 * quarter + j];
                later[j] = source[(t + EARLY) % (EARLY + 2)][8 * tile + 2 * quarter + j];
            }
            // The sums start from what is given. Six take turns, so that no product waits for the one before it.
            float sums[3][2][4] = {};
#pragma unroll
            for (int j = 0; j < 2; j++) {
                const float4 given = next[tile][j];
                sums[0][0][j] = given.x + own.x, sums[0][0][2 + j] = given.y + own.y;
                sums[0][1][j] = given.z + own.z, sums[0][1][2 + j] = given.w + own.w;
            }
#pragma unroll
            for (int k = 0; k < GROUPS; k++) {
                const Four state = now[8 * tile + eighth][4 * k + quarter];
#pragma unroll
                for (int pair = 0; pair < 2; pair++) {
                    multiply(sums[0][pair], high[pair][k], state.high);
                    multiply(sums[1][pair], high[pair][k], state.low);
                    multiply(sums[2][pair], low[pair][k], state.high);
                }
            }
#pragma unroll
            for (int i = 0; i < 8; i++)
                sums[0][i / 4][i % 4] += sums[1][i / 4][i % 4] + sums[2][i / 4][i % 4];
#pragma unroll
            for (int j = 0; j < 2; j++) {
                const int row = 8 * tile + 2 * quarter + j;
                const float into = squash(sums[0][0][j]), keep = squash(sums[0][0][2 + j]);
                const float fresh = bend(sums[0][1][j]), out = squash(sums[0][1][2 + j]);
                c[tile][j] = keep * c[tile][j] + into * fresh;
                const float state = out * bend(c[tile][j]);
                const Two parts = split(state);
                then[row][unit / 2].high[unit % 2] = parts.high;
                then[row][unit / 2].low[unit % 2] = parts.low;
                next[tile][j] = x[(long long)soon[j] * HIDDEN + known];
                fetch(x + (long long)later[j] * HIDDEN + known);
                if (t < steps[tile][j]) {
                    const long long place = (long long)(at[tile][j] + t * step) * HIDDEN + unit;
                    gates_out[place] = {into, keep, fresh, out};
                    h_out[place] = state;
                    c_out[place] = c[tile][j];
                }
            }
        }
        __syncthreads();
    }
}

#define PARTS ((HIDDEN + 15) / 16) // of sixteen units; two warps each
#define HALF ((HIDDEN + 3) / 4)    // products of eight gates for each of the two warps
#define WIDE (16 * HALF + 8)
#define TURNS (TILES % 2 ? 1 : 2) // tiles whose products are summed up at a time

// Two warps have sixteen units: each sums up half of the products for all of them. Then each has eight. Where words
// share rows, the gradients of each row are summed up as well.
extern "C" __global__ void __launch_bounds__(64 * PARTS)
back(const float *w, const long long *length, const float *c_all, const float4 *gates, const float *dh_all,
     const long long *number, float4 *drows, float *dbias, float4 *dx, int named, int stories, int words)
{
    __shared__ __align__(16) float told[ROWS][WIDE]; // gradients of what comes to the gates, four of each unit
    __shared__ float2 swapped[2 * PARTS][TILES][32];
    __shared__ int size[ROWS], target[4][ROWS];
    const int group = blockIdx.y, back = group % 2, lane = threadIdx.x % 32, eighth = lane / 4, quarter = lane % 4;
    const int warp = threadIdx.x / 32, half = warp % 2, unit = 8 * warp + eighth;
    const bool works = unit < HIDDEN;
    const int first = blockIdx.x * ROWS, rows = min(ROWS, stories - first), step = back ? -2 * stories : 2 * stories;

    unsigned high[HALF][4], low[HALF][4];
#pragma unroll
    for (int k = 0; k < HALF; k++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int from = 8 * (half * HALF + k) + 2 * quarter + i / 2, to = warp / 2 * 16 + eighth + i % 2 * 8;
            const float weight =
                from < 4 * HIDDEN && to < HIDDEN
                    ? w[((long long)(group * 4 + from % 4) * HIDDEN + from / 4) * HIDDEN + to]
                    : 0.0f;
            const Two parts = split(weight);
            high[k][i] = parts.high;
            low[k][i] = parts.low;
        }
    for (int i = threadIdx.x; i < ROWS * WIDE; i += blockDim.x)
        told[i / WIDE][i % WIDE] = 0.0f;
    for (int i = threadIdx.x; i < ROWS; i += blockDim.x)
        size[i] = i < rows ? (int)length[(long long)(group / 2) * stories + first + i] : 0;
    __syncthreads();
    clear((float *)dx, 4 * HIDDEN, group, first, rows, size, stories, words);

    const float4 none = {0.0f, 0.0f, 0.0f, 0.0f};
    int steps[TILES][2], at[TILES][2], longest = 0;
    float4 gate[TILES][2] = {}, total = none;
    float d[TILES][2] = {}, dc[TILES][2] = {}, c[TILES][2] = {}, before[TILES][2] = {}, dh[TILES][2] = {};
    for (int i = 0; i < ROWS; i++)
        longest = max(longest, size[i]);
    const int each = threadIdx.x % ROWS;
    const bool looks = named && threadIdx.x < ROWS;
    const auto look_up = [&](int t) {
        const int place = start(group / 2, first + each, stories, size[each], words, back) + t * step;
        return t >= 0 && t < size[each] ? row_of(number, place) : 0;
    };
    for (int t = longest - 1; t > longest - 3 && looks; t--)
        target[t & 3][each] = look_up(t);
    int coming = looks ? look_up(longest - 3) : 0;
    __syncthreads();
#pragma unroll
    for (int tile = 0; tile < TILES; tile++)
#pragma unroll
        for (int j = 0; j < 2; j++) {
            const int row = 8 * tile + 2 * quarter + j;
            steps[tile][j] = works ? size[row] : 0;
            at[tile][j] = start(group / 2, first + row, stories, size[row], words, back);
        }
    for (int t = longest; t >= 0; t--) {
        // The gradients of step t: zeros where no story is, or not yet; then fetch what the step before needs.
#pragma unroll
        for (int tile = 0; tile < TILES; tile++)
#pragma unroll
            for (int j = 0; j < 2; j++) {
                const long long place = (long long)(at[tile][j] + t * step) * HIDDEN + unit;
                const float into = gate[tile][j].x, keep = gate[tile][j].y;
                const float fresh = gate[tile][j].z, out = gate[tile][j].w;
                const float bent = bend(c[tile][j]), all = d[tile][j] + dh[tile][j];
                const float dcell = dc[tile][j] + all * out * (1.0f - bent * bent);
                const float4 to = {
                    dcell * fresh * into * (1.0f - into), dcell * before[tile][j] * keep * (1.0f - keep),
                    dcell * into * (1.0f - fresh * fresh), all * bent * out * (1.0f - out)};
                dc[tile][j] = dcell * keep;
                total = {total.x + to.x, total.y + to.y, total.z + to.z, total.w + to.w};
                if (works)
                    *(float4 *)&told[8 * tile + 2 * quarter + j][4 * unit] = to;
                if (t < steps[tile][j]) {
                    dx[place] = to;
                    if (named)
                        add(drows + (long long)target[t & 3][8 * tile + 2 * quarter + j] * HIDDEN + unit, to);
                }
                if (t > 0 && t <= steps[tile][j]) {
                    const long long then = place - step * HIDDEN;
                    c[tile][j] = t < steps[tile][j] ? before[tile][j] : c_all[then];
                    before[tile][j] = t > 1 ? c_all[then - step * HIDDEN] : 0.0f;
                    gate[tile][j] = gates[then];
                    dh[tile][j] = dh_all[then];
                    if (t > EARLY) {
                        const long long far = then - EARLY * step * HIDDEN;
                        fetch(gates + far);
                        fetch(c_all + far);
                        fetch(dh_all + far);
                    }
                }
            }
        if (looks && t < longest) {
            target[(t - 2) & 3][each] = coming;
            coming = look_up(t - 3);
        }
        if (t == longest || t == 0)
            continue;
        __syncthreads();
#pragma unroll
        for (int some = 0; some < TILES; some += TURNS) { // by turns: neither waits for its last product
            float sums[TURNS][3][4] = {};
#pragma unroll
            for (int i = 0; i < HALF * TURNS; i++) {
                const int k = i / TURNS, turn = i % TURNS;
                const float2 both = *(float2 *)&told[8 * (some + turn) + eighth][8 * (half * HALF + k) + 2 * quarter];
                const Four given = split(both.x, both.y);
                multiply(sums[turn][0], high[k], given.high);
                multiply(sums[turn][1], high[k], given.low);
                multiply(sums[turn][2], low[k], given.high);
            }
#pragma unroll
            for (int turn = 0; turn < TURNS; turn++) {
                float sum[4];
#pragma unroll
                for (int i = 0; i < 4; i++)
                    sum[i] = sums[turn][0][i] + (sums[turn][1][i] + sums[turn][2][i]);
                const int tile = some + turn;
                swapped[warp][tile][lane] = half ? float2{sum[0], sum[1]} : float2{sum[2], sum[3]};
                d[tile][0] = half ? sum[2] : sum[0];
                d[tile][1] = half ? sum[3] : sum[1];
            }
        }
        __syncthreads();
#pragma unroll
        for (int tile = 0; tile < TILES; tile++) {
            const float2 other = swapped[warp ^ 1][tile][lane];
            d[tile][0] += other.x;
            d[tile][1] += other.y;
        }
    }
    if (works) {
        float *to = dbias + (group * HIDDEN + unit) * 4;
        atomicAdd(to, total.x);
        atomicAdd(to + 1, total.y);
        atomicAdd(to + 2, total.z);
        atomicAdd(to + 3, total.w);
    }
}
