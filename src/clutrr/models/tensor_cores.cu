// What the tensor cores of a GPU need, put before the kernels in lstm.cu and products.cu: see kernels.py.
//
// They take 16 by 8 and 8 by 8 numbers at a time, and keep only 11 bits of a number: so each is split into a high
// and a low part, and low times low is too small to count.
//
// Eight products are summed up at a time, in any order: so a thread may have two numbers that stand side by side
// where the layout of tensor cores has them four apart.

struct Two {
    unsigned high, low;
};

struct __align__(16) Four { // the parts of two numbers
    unsigned high[2], low[2];
};

__device__ inline Two split(float x)
{
    const unsigned high = __float_as_uint(x) & 0xffffe000u;
    return {high, __float_as_uint(x - __uint_as_float(high))};
}

__device__ inline Four split(float x, float y)
{
    const Two one = split(x), other = split(y);
    return {{one.high, other.high}, {one.low, other.low}};
}

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
// sums += a b. Thread 4 g + t has of a rows g and g + 8, columns t and t + 4; of b rows t and t + 4, column g;
// of the sums rows g and g + 8, columns 2 t and 2 t + 1.
__device__ inline void multiply(float *sums, const unsigned *a, const unsigned *b)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Copies to shared memory, which go on while the block computes: a number, or zero where there is none to copy;
// `closed` ends a group of them, `arrived` waits until at most some groups are still on their way.
template <typename Number> __device__ inline void bring(Number *to, const Number *from, bool is)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(from), "n"(sizeof(Number)), "r"(is ? (int)sizeof(Number) : 0)
                 : "memory");
}
__device__ inline void closed() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int LEFT> __device__ inline void arrived()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}
#define SHARED_ROOM(name) extern __shared__ float4 name[]
#endif
