#include "timed/tlm/payload_pool.h"

#include <gtest/gtest.h>
#include <memory>
#include <set>

#include "core/base/error.h"
#include "timed/tlm/extensions.h"
#include "timed/tlm/nand_protocol.h"

namespace cavern {
namespace {

using Payload = tlm::tlm_generic_payload;

/// Counts how many are alive.
struct CountedExtension final : tlm::tlm_extension<CountedExtension> {
    static int alive;
    CountedExtension() { ++alive; }
    ~CountedExtension() override { --alive; }
    CountedExtension(const CountedExtension&) = delete;
    CountedExtension& operator=(const CountedExtension&) = delete;
    tlm::tlm_extension_base* clone() const override { return new CountedExtension; }
    void copy_from(const tlm::tlm_extension_base&) override {}
};
int CountedExtension::alive = 0;

TEST(PayloadPoolTest, APayloadComesWithOneReferenceAndNothingOfItsLastUse) {
    PayloadPool pool;
    unsigned char bytes[8] = {};
    Payload* first = pool.acquire();
    EXPECT_EQ(first->get_ref_count(), 1);
    first->set_write();
    first->set_address(77);
    first->set_data_ptr(bytes);
    first->set_data_length(8);
    first->set_streaming_width(8);
    first->set_byte_enable_ptr(bytes);
    first->set_byte_enable_length(8);
    first->set_dmi_allowed(true);
    first->set_response_status(tlm::TLM_OK_RESPONSE);
    first->release();

    Payload* again = pool.acquire();
    ASSERT_EQ(again, first); // or the rest would say nothing
    EXPECT_EQ(again->get_ref_count(), 1);
    EXPECT_EQ(again->get_command(), tlm::TLM_IGNORE_COMMAND);
    EXPECT_EQ(again->get_address(), 0u);
    EXPECT_EQ(again->get_data_ptr(), nullptr);
    EXPECT_EQ(again->get_data_length(), 0u);
    EXPECT_EQ(again->get_streaming_width(), 0u);
    EXPECT_EQ(again->get_byte_enable_ptr(), nullptr);
    EXPECT_EQ(again->get_byte_enable_length(), 0u);
    EXPECT_FALSE(again->is_dmi_allowed());
    EXPECT_EQ(again->get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
    again->release();
}

TEST(PayloadPoolTest, AStickyExtensionSurvivesReuse) {
    PayloadPool pool;
    Payload* payload = pool.acquire();
    auto* extension = new CountedExtension;
    payload->set_extension(extension);
    payload->release();
    ASSERT_EQ(pool.acquire(), payload);
    EXPECT_EQ(payload->get_extension<CountedExtension>(), extension);
    payload->release();
}

TEST(PayloadPoolTest, AnAutoExtensionDoesNotSurviveReuse) {
    PayloadPool pool;
    Payload* payload = pool.acquire();
    payload->set_auto_extension(new CountedExtension);
    EXPECT_EQ(CountedExtension::alive, 1);
    payload->release();
    EXPECT_EQ(CountedExtension::alive, 0);
    ASSERT_EQ(pool.acquire(), payload);
    EXPECT_EQ(payload->get_extension<CountedExtension>(), nullptr);
    payload->release();
}

TEST(PayloadPoolTest, APayloadReturnsWithItsLastReference) {
    PayloadPool pool;
    Payload* payload = pool.acquire();
    payload->acquire();
    EXPECT_EQ(pool.in_flight(), 1u);
    payload->release();
    EXPECT_EQ(pool.in_flight(), 1u);
    payload->release();
    EXPECT_EQ(pool.in_flight(), 0u);
}

TEST(PayloadPoolTest, NoPayloadIsHandedOutTwice) {
    PayloadPool pool;
    std::set<Payload*> out;
    for (int i = 0; i < 100; ++i) {
        EXPECT_TRUE(out.insert(pool.acquire()).second);
    }
    EXPECT_EQ(pool.in_flight(), 100u);
    for (Payload* payload : out) {
        payload->release();
    }
    EXPECT_EQ(pool.in_flight(), 0u);
    for (int i = 0; i < 100; ++i) { // the pool does not grow while it has payloads
        EXPECT_EQ(out.count(pool.acquire()), 1u);
    }
    EXPECT_EQ(pool.in_flight(), 100u);
}

TEST(PayloadPoolTest, ExtensionsDieWithThePool) {
    {
        PayloadPool pool;
        Payload* returned = pool.acquire();
        returned->set_extension(new CountedExtension);
        Payload* kept = pool.acquire(); // never released
        kept->set_auto_extension(new CountedExtension);
        returned->release();
        EXPECT_EQ(CountedExtension::alive, 2);
    }
    EXPECT_EQ(CountedExtension::alive, 0);
}

TEST(ExtendedPayloadPoolTest, EveryPayloadCarriesAnExtensionOfItsOwnForLife) {
    {
        using Pool = ExtendedPayloadPool<CountedExtension>;
        Pool pool;
        Payload* a = pool.acquire();
        Payload* b = pool.acquire();
        EXPECT_EQ(CountedExtension::alive, 2);
        EXPECT_EQ(&Pool::extension_of(*a), a->get_extension<CountedExtension>());
        EXPECT_NE(&Pool::extension_of(*a), &Pool::extension_of(*b));
        auto* other = new TransferExtension; // one more, the payload's own
        a->set_extension(other);
        a->release();
        ASSERT_EQ(pool.acquire(), a);
        EXPECT_EQ(&Pool::extension_of(*a), a->get_extension<CountedExtension>());
        EXPECT_EQ(a->get_extension<TransferExtension>(), other);
        b->release();
        EXPECT_EQ(CountedExtension::alive, 2);
        // a is still out when the pool goes
    }
    EXPECT_EQ(CountedExtension::alive, 0);
}

// ---- extensions ---------------------------------------------------------------------------------

HostCommandExtension some_command() {
    HostCommandExtension command;
    command.id = 1;
    command.tag = 2;
    command.op = RequestOp::kTrim;
    command.arrival = 3;
    command.dispatch = 4;
    command.pages = 5;
    command.hits = 6;
    command.frame_wait = 7;
    command.flash = 8;
    return command;
}

void expect_equal(const HostCommandExtension& a, const HostCommandExtension& b) {
    EXPECT_EQ(a.id, b.id);
    EXPECT_EQ(a.tag, b.tag);
    EXPECT_EQ(a.op, b.op);
    EXPECT_EQ(a.arrival, b.arrival);
    EXPECT_EQ(a.dispatch, b.dispatch);
    EXPECT_EQ(a.pages, b.pages);
    EXPECT_EQ(a.hits, b.hits);
    EXPECT_EQ(a.frame_wait, b.frame_wait);
    EXPECT_EQ(a.flash, b.flash);
}

template <typename Extension>
std::unique_ptr<Extension> clone_of(const Extension& extension) {
    auto* copy = dynamic_cast<Extension*>(extension.clone());
    EXPECT_NE(copy, nullptr);
    return std::unique_ptr<Extension>(copy);
}

TEST(ExtensionTest, AHostCommandIsCopiedWhole) {
    const HostCommandExtension command = some_command();
    expect_equal(*clone_of(command), command);
    HostCommandExtension other;
    other.copy_from(command);
    expect_equal(other, command);
}

TEST(ExtensionTest, ATransferIsCopiedWhole) {
    TransferExtension transfer;
    struct : MoveDoneIf {
        void moved(MoveTicket, TimePs) override {}
    } owner;
    transfer.ticket = {1, 2};
    transfer.owner = &owner;
    transfer.moved_before = 3;
    const auto copy = clone_of(transfer);
    EXPECT_EQ(copy->ticket.stage, 1u);
    EXPECT_EQ(copy->ticket.index, 2u);
    EXPECT_EQ(copy->owner, &owner);
    EXPECT_EQ(copy->moved_before, 3u);
}

TEST(ExtensionTest, ANandCommandIsCopiedWhole) {
    NandExtension command;
    command.kind = FlashOpKind::kErase;
    command.origin = Origin::kGc;
    command.count = 2;
    command.pages = {Ppn{4}, Ppn{5}};
    command.lpns = {Lpn{6}, Lpn{7}};
    const auto copy = clone_of(command);
    EXPECT_EQ(copy->kind, FlashOpKind::kErase);
    EXPECT_EQ(copy->origin, Origin::kGc);
    EXPECT_EQ(copy->count, 2u);
    EXPECT_EQ(copy->pages, command.pages);
    EXPECT_EQ(copy->lpns, command.lpns);
}

TEST(ExtensionTest, ADeepCopyOfAPayloadCarriesThem) {
    PayloadPool pool;
    Payload* from = pool.acquire();
    Payload* to = pool.acquire();
    auto* command = new HostCommandExtension;
    command->copy_from(some_command());
    from->set_extension(command);
    to->deep_copy_from(*from);
    ASSERT_NE(HostCommandExtension::find(*to), nullptr);
    EXPECT_NE(HostCommandExtension::find(*to), command);
    expect_equal(*HostCommandExtension::find(*to), *command);
    from->release();
    to->release();
}

TEST(ExtensionTest, EachHasASlotOfItsOwn) {
    PayloadPool pool;
    Payload* payload = pool.acquire();
    payload->set_extension(new HostCommandExtension);
    EXPECT_EQ(TransferExtension::find(*payload), nullptr);
    EXPECT_THROW(static_cast<void>(NandExtension::get(*payload)), ModelError);
    payload->set_extension(new TransferExtension);
    EXPECT_NE(HostCommandExtension::find(*payload), nullptr);
    payload->release();
}

TEST(ExtensionTest, WhatMustBeThereIsMissedLoudly) {
    PayloadPool pool;
    Payload* payload = pool.acquire();
    EXPECT_EQ(HostCommandExtension::find(*payload), nullptr);
    EXPECT_THROW(static_cast<void>(TransferExtension::get(*payload)), ModelError);
    EXPECT_THROW(static_cast<void>(NandExtension::get(*payload)), ModelError);
    payload->release();
}

} // namespace
} // namespace cavern
