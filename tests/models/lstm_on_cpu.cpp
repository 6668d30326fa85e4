// Runs the kernels of lstm.cu on the CPU, a thread of the system for each thread of a block.

#include <algorithm>
#include <barrier>
#include <cmath>
#include <thread>
#include <vector>

#define __global__
#define __device__
#define __shared__ static
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(threads)
#define __expf expf
#define __fdividef(a, b) ((a) / (b))
#define __syncthreads() everybody->arrive_and_wait()

using std::min;

struct float4 {
    float x, y, z, w;
};

struct Place {
    int x, y;
};

static thread_local Place threadIdx, blockIdx;
static std::barrier<> *everybody;
static float said[1024];

static float __shfl_xor_sync(unsigned, float value, int mask)
{
    said[threadIdx.x] = value;
    __syncthreads();
    const float heard = said[threadIdx.x ^ mask];
    __syncthreads();
    return heard;
}

#include KERNELS

template <typename Kernel> static void run(int threads, int across, int down, Kernel kernel)
{
    for (int y = 0; y < down; y++)
        for (int x = 0; x < across; x++) {
            std::barrier<> all(threads);
            everybody = &all;
            std::vector<std::thread> block;
            for (int i = 0; i < threads; i++)
                block.emplace_back([=] {
                    threadIdx = {i, 0};
                    blockIdx = {x, y};
                    kernel();
                });
            for (auto &thread : block)
                thread.join();
        }
}

extern "C" void run_ahead(int threads, int across, int down, const float *x, const float *w, const float *bias,
                          const long long *length, float *h, float *before, float *c, float *gates, int stories,
                          int words)
{
    run(threads, across, down, [=] { ahead(x, w, bias, length, h, before, c, gates, stories, words); });
}

extern "C" void run_back(int threads, int across, int down, const float *w, const long long *length, const float *c,
                         const float *gates, const float *dh, float *dx, int stories, int words)
{
    run(threads, across, down, [=] { back(w, length, c, gates, dh, dx, stories, words); });
}
