#include "tb/reference_allocator.h"

namespace cavern {
namespace {

Geometry geometry_of(const AllocatorShape& shape) {
    Geometry geometry;
    geometry.channels = shape.channels;
    geometry.ways = shape.ways;
    geometry.dies_per_way = 1;
    geometry.planes_per_die = 1;
    geometry.blocks_per_plane = 1;
    return geometry;
}

} // namespace

ReferenceAllocator::ReferenceAllocator(const AllocatorShape& shape)
    : geometry_(geometry_of(shape)), space_(geometry_),
      round_robin_(geometry_, RoundRobinMode::kFree, space_, nullptr),
      all_((1u << shape.channels) - 1) {}

AllocatorOutputs ReferenceAllocator::step(const AllocatorInputs& inputs) {
    AllocatorOutputs outputs;
    if (left_ == 0) {
        left_ = inputs.start ? inputs.victims : 0;
    } else if ((inputs.busy & all_) != all_) {
        // In the mode `free` a block's former die does not count, so one block stands for all.
        const Lpn victim{0};
        PlaneId plane{0};
        space_.busy = inputs.busy;
        round_robin_.place(&victim, 1, &plane);
        const DieId die = geometry_.die_of(plane);
        --left_;
        outputs = {false, true, raw(geometry_.channel_of(die)), geometry_.slot_of(die), left_ == 0};
    }
    outputs.ready = left_ == 0;
    return outputs;
}

} // namespace cavern
