#pragma once

#include <gtest/gtest.h>

#include "tests/core/ftl/flash_op_text.h"

namespace cavern::testing {

/// Pages 7 and 8 lie in block 0, whose third program fails when 9 is written: 9 goes elsewhere, and
/// so do they. Blocks have four pages, and one plane has them all.
template <typename Ftl>
void expect_rescue_from_block_0(Ftl& ftl) {
    write(ftl, 7);
    write(ftl, 8);
    EXPECT_EQ(text_of(write(ftl, 9)),
              (Lines{"program failed page 2", "read rescue page 0 lpn 7",
                     "program rescue page 4 lpn 7 after 1 copies", "read rescue page 1 lpn 8",
                     "program rescue page 5 lpn 8 after 3 copies", "program host page 8 lpn 9"}));
    EXPECT_EQ(ftl.counters().failed_programs, 1u);
    EXPECT_EQ(ftl.counters().rescued_pages, 2u);
    EXPECT_EQ(ftl.bad_blocks().grown, 1u);
    EXPECT_EQ(ftl.location(Lpn{7}), Ppn{4});
    EXPECT_GT(ftl.check_invariants(), 0u);
}

} // namespace cavern::testing
