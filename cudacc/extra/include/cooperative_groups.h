/* cooperative_groups.h of the CPU device: threads that synchronize and exchange values as a group:
 * a block, a tile of a warp, the lanes that took a branch together, a whole grid.  C++ only.
 *
 * A group within a warp is a mask of lanes, and what it does is a warp function on that mask.
 * Tiles of more than 32 threads, clusters and grids on several devices do not exist here.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_COOPERATIVE_GROUPS_H
#define CPU_DEVICE_COOPERATIVE_GROUPS_H
#define _COOPERATIVE_GROUPS_H_ /* CUDA's own guard */

#include "cuda_runtime.h"
#include "cpu_device/groups_abi.h"

#ifdef __CUDACC__

#ifdef CPU_DEVICE_TRACE
#define inline inline __attribute__((always_inline)) /* as in device_functions.h */
#endif

namespace cooperative_groups {

namespace cpu_device_lanes {

inline unsigned linear(uint3 i, dim3 size) { return i.x + size.x * (i.y + size.y * i.z); }
inline dim3 as_dim3(uint3 v) { return dim3(v.x, v.y, v.z); }
inline dim3 as_dim3(dim3 v) { return v; }
inline unsigned block_rank() { return linear(threadIdx, as_dim3(blockDim)); }
inline unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }
inline unsigned before(unsigned lane) { return (1u << lane) - 1; }

/* The lane of the n-th member; members are numbered from the lowest lane on. */
inline unsigned member(unsigned lanes, unsigned n) {
    while (n--)
        lanes &= lanes - 1;
    return lanes ? (unsigned)__builtin_ctz(lanes) : 0;
}
/* The lanes of a ballot as a mask of members. */
inline unsigned packed(unsigned lanes, unsigned ballot) {
    unsigned result = 0;
    for (unsigned n = 0; lanes; lanes &= lanes - 1, n++)
        result |= (ballot >> __builtin_ctz(lanes) & 1) << n;
    return result;
}

/* Any type that can be copied as bytes, eight of them at a time. */
template <class T> inline T shuffle(int kind, unsigned mask, T value, unsigned b, int width) {
    unsigned long long word[(sizeof(T) + 7) / 8] = {};
    memcpy(word, (const void *)&value, sizeof value);
    for (unsigned long long &w : word)
        w = cpu_device_shuffle(kind, mask, w, b, width);
    memcpy((void *)&value, word, sizeof value);
    return value;
}
template <class T> inline T from_lane(unsigned mask, T value, unsigned lane) {
    return shuffle(SHUFFLE_IDX, mask, value, lane, 32);
}

} // namespace cpu_device_lanes

/* ---- Any group ---- */

class thread_group {
  protected:
    enum kind { BLOCK, GRID, LANES } kind_;
    unsigned lanes_;       /* LANES: which */
    unsigned number_, of_; /* LANES: this tile, and how many its parent has */
    thread_group(enum kind k, unsigned lanes = 0, unsigned number = 0, unsigned of = 1)
        : kind_(k), lanes_(lanes), number_(number), of_(of) {}
    friend thread_group tiled_partition(const thread_group &parent, unsigned size);

  public:
    inline unsigned long long size() const {
        unsigned long long blocks = (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
        return kind_ == LANES  ? (unsigned)__builtin_popcount(lanes_)
               : kind_ == GRID ? blocks * cpu_device_lanes::block_size()
                               : cpu_device_lanes::block_size();
    }
    inline unsigned long long num_threads() const { return size(); }
    inline unsigned long long thread_rank() const {
        using namespace cpu_device_lanes;
        if (kind_ == LANES)
            return (unsigned)__builtin_popcount(lanes_ & before(cpu_device_lane()));
        unsigned long long block = 0;
        if (kind_ == GRID)
            block = blockIdx.x + (unsigned long long)gridDim.x *
                                     (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
        return block * block_size() + block_rank();
    }
    inline bool is_valid() const { return kind_ != GRID || cpu_device_grid_is_cooperative(); }
    inline void sync() const {
        if (kind_ == LANES) {
            __syncwarp(lanes_);
        } else if (kind_ == BLOCK) {
            __syncthreads();
        } else { /* of each block one thread waits for the other blocks, and the rest for it */
            cpu_device_grid_check();
            __syncthreads();
            if (cpu_device_lanes::block_rank() == 0)
                cpu_device_grid_barrier();
            __syncthreads();
        }
    }
};

/* ---- Block and grid ---- */

class thread_block : public thread_group {
  public:
    struct arrival_token {};
    inline thread_block() : thread_group(BLOCK) {}
    static inline void sync() { __syncthreads(); }
    static inline arrival_token barrier_arrive() { return arrival_token(); }
    static inline void barrier_wait(arrival_token &&) { __syncthreads(); }
    static inline unsigned size() { return cpu_device_lanes::block_size(); }
    static inline unsigned num_threads() { return size(); }
    static inline unsigned thread_rank() { return cpu_device_lanes::block_rank(); }
    static inline dim3 group_index() { return cpu_device_lanes::as_dim3(blockIdx); }
    static inline dim3 thread_index() { return cpu_device_lanes::as_dim3(threadIdx); }
    static inline dim3 group_dim() { return cpu_device_lanes::as_dim3(blockDim); }
    static inline dim3 dim_threads() { return group_dim(); }
};
inline thread_block this_thread_block() { return thread_block(); }

/* Needs cudaLaunchCooperativeKernel. */
class grid_group : public thread_group {
  public:
    struct arrival_token {};
    inline grid_group() : thread_group(GRID) {}
    inline arrival_token barrier_arrive() const { return arrival_token(); }
    inline void barrier_wait(arrival_token &&) const { sync(); }
    static inline dim3 group_dim() { return cpu_device_lanes::as_dim3(gridDim); }
    static inline dim3 dim_blocks() { return group_dim(); }
    static inline dim3 block_index() { return cpu_device_lanes::as_dim3(blockIdx); }
    static inline unsigned long long num_blocks() {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    static inline unsigned long long block_rank() {
        return blockIdx.x + (unsigned long long)gridDim.x *
                                (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
    }
};
inline grid_group this_grid() { return grid_group(); }

/* ---- Parts of a warp ---- */

/* Members are numbered; lanes of the warp appear in no result. */
class coalesced_group : public thread_group {
  public:
    inline explicit coalesced_group(unsigned lanes, unsigned number = 0, unsigned of = 1)
        : thread_group(LANES, lanes, number, of) {}
    inline unsigned size() const { return (unsigned)__builtin_popcount(lanes_); }
    inline unsigned num_threads() const { return size(); }
    inline unsigned thread_rank() const { return (unsigned)thread_group::thread_rank(); }
    inline unsigned meta_group_rank() const { return number_; }
    inline unsigned meta_group_size() const { return of_; }
    inline unsigned cpu_device_mask() const { return lanes_; }

    template <class T> inline T shfl(T value, int rank) const {
        unsigned lane = cpu_device_lanes::member(lanes_, (unsigned)rank % size());
        return cpu_device_lanes::from_lane(lanes_, value, lane);
    }
    template <class T> inline T shfl_up(T value, unsigned delta) const {
        unsigned own = thread_rank(), from = delta > own ? own : own - delta;
        return shfl(value, (int)from);
    }
    template <class T> inline T shfl_down(T value, unsigned delta) const {
        unsigned own = thread_rank(), from = delta >= size() - own ? own : own + delta;
        return shfl(value, (int)from);
    }
    inline int any(int predicate) const { return __any_sync(lanes_, predicate); }
    inline int all(int predicate) const { return __all_sync(lanes_, predicate); }
    inline unsigned ballot(int predicate) const {
        return cpu_device_lanes::packed(lanes_, __ballot_sync(lanes_, predicate));
    }
    template <class T> inline unsigned match_any(T value) const {
        return cpu_device_lanes::packed(lanes_, __match_any_sync(lanes_, value));
    }
    template <class T> inline unsigned match_all(T value, int &predicate) const {
        return cpu_device_lanes::packed(lanes_, __match_all_sync(lanes_, value, &predicate));
    }
};
inline coalesced_group coalesced_threads(int line = __builtin_LINE()) {
    return coalesced_group(cpu_device_active_lanes(line));
}

template <unsigned Size, class Parent = void> class thread_block_tile : public thread_group {
    static_assert(Size <= 32 && Size && !(Size & (Size - 1)),
                  "the CPU device has tiles of 1, 2, 4, 8, 16 or 32 threads");
    static inline unsigned first() { return cpu_device_lane() & ~(Size - 1); }

  public:
    inline thread_block_tile()
        : thread_group(LANES, ~0u >> (32 - Size) << first(), cpu_device_lanes::block_rank() / Size,
                       (cpu_device_lanes::block_size() + Size - 1) / Size) {}
    inline thread_block_tile(unsigned number, unsigned of) : thread_block_tile() {
        number_ = number;
        of_ = of;
    }
    template <class Other> /* a tile is one, whatever it is part of */
    inline thread_block_tile(const thread_block_tile<Size, Other> &t)
        : thread_block_tile(t.meta_group_rank(), t.meta_group_size()) {}

    static constexpr unsigned size() { return Size; }
    static constexpr unsigned num_threads() { return Size; }
    static inline unsigned thread_rank() { return cpu_device_lane() % Size; }
    inline unsigned meta_group_rank() const { return number_; }
    inline unsigned meta_group_size() const { return of_; }
    inline unsigned cpu_device_mask() const { return lanes_; }

    template <class T> inline T shfl(T value, int rank) const {
        return cpu_device_lanes::shuffle(SHUFFLE_IDX, lanes_, value, (unsigned)rank, Size);
    }
    template <class T> inline T shfl_up(T value, unsigned delta) const {
        return cpu_device_lanes::shuffle(SHUFFLE_UP, lanes_, value, delta, Size);
    }
    template <class T> inline T shfl_down(T value, unsigned delta) const {
        return cpu_device_lanes::shuffle(SHUFFLE_DOWN, lanes_, value, delta, Size);
    }
    template <class T> inline T shfl_xor(T value, unsigned bits) const {
        return cpu_device_lanes::shuffle(SHUFFLE_XOR, lanes_, value, bits, Size);
    }
    inline int any(int predicate) const { return __any_sync(lanes_, predicate); }
    inline int all(int predicate) const { return __all_sync(lanes_, predicate); }
    inline unsigned ballot(int predicate) const {
        return (__ballot_sync(lanes_, predicate) & lanes_) >> first();
    }
    template <class T> inline unsigned match_any(T value) const {
        return (__match_any_sync(lanes_, value) & lanes_) >> first();
    }
    template <class T> inline unsigned match_all(T value, int &predicate) const {
        return (__match_all_sync(lanes_, value, &predicate) & lanes_) >> first();
    }
};
inline thread_block_tile<1> this_thread() { return thread_block_tile<1>(); }

/* ---- Groups into smaller ones ---- */

template <unsigned Size>
inline thread_block_tile<Size, thread_block> tiled_partition(const thread_block &) {
    return thread_block_tile<Size, thread_block>();
}
template <unsigned Size, unsigned From, class Parent>
inline thread_block_tile<Size, thread_block_tile<From, Parent>>
tiled_partition(const thread_block_tile<From, Parent> &) {
    static_assert(Size <= From, "a tile is no larger than what it is part of");
    return thread_block_tile<Size, thread_block_tile<From, Parent>>(cpu_device_lane() % From / Size,
                                                                    From / Size);
}
inline coalesced_group tiled_partition(const coalesced_group &parent, unsigned size) {
    unsigned number = parent.thread_rank() / size, lanes = 0;
    for (unsigned n = number * size; n < (number + 1) * size && n < parent.size(); n++)
        lanes |= 1u << cpu_device_lanes::member(parent.cpu_device_mask(), n);
    return coalesced_group(lanes, number, (parent.size() + size - 1) / size);
}
/* Of a block or of a tile; the last one may be smaller. */
inline thread_group tiled_partition(const thread_group &parent, unsigned size) {
    if (parent.kind_ == thread_group::LANES)
        return tiled_partition(coalesced_group(parent.lanes_), size);
    unsigned rank = cpu_device_lanes::block_rank(), rest = cpu_device_lanes::block_size();
    unsigned first = rank / size * size;
    if (size > 32 || size & (size - 1))
        cpu_device_trap(cudaErrorNotSupported, "tiled_partition: 1, 2, 4, 8, 16 or 32 threads");
    unsigned count = rest - first < size ? rest - first : size;
    return thread_group(thread_group::LANES, ~0u >> (32 - count) << first % 32, rank / size,
                        (rest + size - 1) / size);
}

template <class Label, class Group>
inline coalesced_group labeled_partition(const Group &g, Label label) {
    return coalesced_group(__match_any_sync(g.cpu_device_mask(), label));
}
template <class Group> inline coalesced_group binary_partition(const Group &g, bool side) {
    unsigned yes = __ballot_sync(g.cpu_device_mask(), side);
    return coalesced_group(side ? yes : g.cpu_device_mask() & ~yes);
}

template <class Group> inline void sync(const Group &g) { g.sync(); }
template <class Group> inline void synchronize(const Group &g) { g.sync(); }
template <class Group> inline auto thread_rank(const Group &g) { return g.thread_rank(); }
template <class Group> inline auto group_size(const Group &g) { return g.size(); }
inline dim3 group_index(const thread_block &) { return thread_block::group_index(); }
inline dim3 thread_index(const thread_block &) { return thread_block::thread_index(); }

} // namespace cooperative_groups

#undef inline
#endif
#endif
