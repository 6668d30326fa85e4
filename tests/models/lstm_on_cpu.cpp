// Runs the kernels of lstm.cu and products.cu on the CPU, a thread of the system for each thread of a block.
// Where a GPU promises nothing, the worst happens: shared memory begins as NaN and -1, copies to it come late.

#include <algorithm>
#include <barrier>
#include <cmath>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#define __global__
#define __device__
#ifdef __SANITIZE_ADDRESS__
#define __shared__ static // the sanitizer watches these by itself, but not in a section of ours
#else
#define __shared__ static __attribute__((section("shared_memory")))
#endif
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define __syncthreads() everybody->arrive_and_wait()

using std::max;
using std::min;

struct __align__(8) float2 {
    float x, y;
};

struct __align__(16) float4 {
    float x, y, z, w;
};

struct Place {
    unsigned x, y, z;
};

static thread_local Place threadIdx, blockIdx;
static Place blockDim, gridDim;
static std::barrier<> *everybody;
static std::vector<std::unique_ptr<std::barrier<>>> warps;

static unsigned __float_as_uint(float x)
{
    unsigned bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float __uint_as_float(unsigned bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void atomicAdd(float *to, float value)
{
    static std::mutex alone;
    const std::lock_guard<std::mutex> lock(alone);
    *to += value;
}

// What the threads of a warp say: all of it to each of them.
static const float *said_in_warp(float mine)
{
    static float said[32][2][32];
    static thread_local int turn;
    turn = 1 - turn; // so that nobody still reads what is written
    float *const by_all = said[threadIdx.x / 32][turn];
    by_all[threadIdx.x % 32] = mine;
    warps[threadIdx.x / 32]->arrive_and_wait();
    return by_all;
}

static unsigned __ballot_sync(unsigned, bool mine)
{
    const float *const by_all = said_in_warp(mine);
    unsigned votes = 0;
    for (int lane = 0; lane < 32; lane++)
        votes |= (unsigned)(by_all[lane] != 0.0f) << lane;
    return votes;
}

static float __shfl_sync(unsigned, float mine, int lane) { return said_in_warp(mine)[lane]; }
static int __ffs(unsigned bits) { return __builtin_ffs(bits); }

// The nearest number towards zero.
static float cut_off(double x)
{
    const float near = (float)x;
    return std::fabs(near) > std::fabs(x) ? std::nextafter(near, 0.0f) : near;
}

// As a tensor core does it: 11 bits of each number, a sum that is cut off, not rounded, and the parts of the
// matrices where PTX says they are.
static void multiply(float *sums, const unsigned *a, const unsigned *b)
{
    static struct {
        float a[16][8], b[8][8];
    } shared[32];
    auto &mine = shared[threadIdx.x / 32];
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const auto seen = [](unsigned bits) { return __uint_as_float(bits & 0xffffe000u); };
    for (int i = 0; i < 4; i++)
        mine.a[g + i % 2 * 8][t + i / 2 * 4] = seen(a[i]);
    for (int i = 0; i < 2; i++)
        mine.b[t + i * 4][g] = seen(b[i]);
    warps[threadIdx.x / 32]->arrive_and_wait();
    for (int i = 0; i < 4; i++) {
        double sum = sums[i];
        for (int k = 0; k < 8; k++)
            sum += (double)mine.a[g + i / 2 * 8][k] * mine.b[k][2 * t + i % 2];
        sums[i] = cut_off(sum);
    }
    warps[threadIdx.x / 32]->arrive_and_wait();
}

// What is on its way to shared memory arrives when it is waited for, and no sooner: the groups that a thread has
// closed, and last the one that it has not.
static thread_local std::deque<std::vector<std::function<void()>>> coming(1);

template <typename Number> static void bring(Number *to, const Number *from, bool is)
{
    coming.back().push_back([=] { *to = is ? *from : Number{}; });
}

static void closed() { coming.emplace_back(); }

template <int LEFT> static void arrived()
{
    for (; coming.size() > LEFT + 1; coming.pop_front())
        for (const auto &copy : coming.front())
            copy();
}

static float4 *room_of_block;
#define SHARED_ROOM(name) float4 *const name = room_of_block

#include "tensor_cores.cu"

#include "lstm.cu"
#include "products.cu"

#ifdef __SANITIZE_ADDRESS__
static void forget_shared_memory() {}
#else
extern "C" __attribute__((visibility("hidden"))) char __start_shared_memory[], __stop_shared_memory[];
static void forget_shared_memory() { memset(__start_shared_memory, -1, __stop_shared_memory - __start_shared_memory); }
#endif

template <typename Kernel> static void run(unsigned count, Place grid, Kernel kernel)
{
    blockDim = {32 * count, 1, 1};
    gridDim = grid;
    for (unsigned z = 0; z < grid.z; z++)
        for (unsigned i = 0; i < grid.x * grid.y; i++) {
            const unsigned x = i % grid.x, y = i / grid.x;
            std::vector<float4> room(ROOM / sizeof(float4), {NAN, NAN, NAN, NAN});
            room_of_block = room.data();
            forget_shared_memory();
            std::barrier<> all(32 * count);
            everybody = &all;
            warps.clear();
            for (unsigned i = 0; i < count; i++)
                warps.push_back(std::make_unique<std::barrier<>>(32));
            std::vector<std::thread> block;
            for (unsigned i = 0; i < 32 * count; i++)
                block.emplace_back([=] {
                    threadIdx = {i, 0, 0};
                    blockIdx = {x, y, z};
                    kernel();
                });
            for (auto &thread : block)
                thread.join();
        }
}

#define RUN(name, parameters, ...)                                                                                     \
    extern "C" void run_##name(unsigned warps, unsigned across, unsigned down, unsigned layers, __VA_ARGS__)           \
    {                                                                                                                  \
        run(warps, {across, down, layers}, [=] { name parameters; });                                                  \
    }

RUN(ahead, (x, w, bias, length, number, h, c, gates, named, stories, words), const float4 *x, const float *w,
    const float4 *bias, const long long *length, const long long *number, float *h, float *c, float4 *gates, int named,
    int stories, int words)
RUN(back, (w, length, c, gates, dh, number, drows, dbias, dx, named, stories, words), const float *w,
    const long long *length, const float *c, const float4 *gates, const float *dh, const long long *number,
    float4 *drows, float *dbias, float4 *dx, int named, int stories, int words)
RUN(of_input, (dx, states, dw, stories, words), const float4 *dx, const float *states, float *dw, int stories,
    int words)
RUN(of_states, (dx, h, dw, stories, words), const float4 *dx, const float *h, float *dw, int stories, int words)
RUN(pool, (weights, pooled, h, nodes, stories, words), const float *weights, float *pooled, const float *h, int nodes,
    int stories, int words)
RUN(unpool, (weights, dpooled, dh, nodes, stories, words), const float *weights, const float *dpooled, float *dh,
    int nodes, int stories, int words)
RUN(to_gates, (states, w, x, tokens), const float *states, const float *w, float *x, int tokens)
RUN(to_states, (dx, w, dstates, tokens), const float *dx, const float *w, float *dstates, int tokens)
