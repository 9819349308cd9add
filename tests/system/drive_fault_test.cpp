// The referees of the whole drive can say no: translation layers that err in one way each, and the run
// that stops, or the check at its end, naming what was broken. With the wrapper switched off the same
// run is sound.

#include <gtest/gtest.h>
#include <ostream>
#include <string>
#include <vector>

#include "core/alloc/allocator_table.h"
#include "core/buffer/eviction_rate_table.h"
#include "core/buffer/order_policy_table.h"
#include "core/ftl/ftl_table.h"
#include "ssd/core_builder.h"
#include "tests/support/systemc_test.h"
#include "tests/system/drive_bench.h"

namespace cavern::testing {
namespace {
} // namespace
} // namespace cavern::testing
