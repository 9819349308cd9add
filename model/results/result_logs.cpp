#include "results/result_logs.h"

#include <array>
#include <utility>

#include "results/log_words.h"
#include "results/request_rows.h"

namespace cavern {
namespace {

constexpr std::array<const char*, 3> kMergeKinds{"switch", "partial", "full"};
constexpr std::array<const char*, 4> kMapEvents{"miss", "evict", "batch", "trim"};

std::string numbers(const std::vector<Lpn>& list) {
    std::string text;
    for (const Lpn lpn : list) {
        text += (text.empty() ? "" : ",") + std::to_string(raw(lpn));
    }
    return text;
}

/// ",12,34": what the struct declares, in that order.
template <typename Owner>
void add_counters_to(fmt::memory_buffer& line, const Owner& counters) {
    for (const Counter<Owner>& each : Owner::declared) {
        const fmt::format_int digits(each.value(counters));
        line.push_back(',');
        line.append(digits.data(), digits.data() + digits.size());
    }
}

} // namespace

// ---- requests -----------------------------------------------------------------------------------

RequestCsv::RequestCsv(const std::string& path, bool origins)
    : ResultFile(path), origins_(origins) {
    std::string head;
    for (const FieldInfo& column : request_columns()) {
        if (origins || !column.optional) {
            head += (head.empty() ? "" : ",") + column.path;
        }
    }
    file_.print("{}\n", head);
}

void RequestCsv::completed(const CompletedRequest& done) {
    const RequestRow row(done);
    line_.clear();
    add_counters_to(line_, row);
    if (origins_) {
        add_counters_to(line_, RequestOrigin(done));
    }
    file_.print("{},{}{}\n", row.id, row.op, std::string_view(line_.data(), line_.size()));
}

// ---- decisions ----------------------------------------------------------------------------------

DecisionJsonl::DecisionJsonl(const std::string& path, const Geometry& geometry,
                             std::function<TimePs()> clock)
    : ResultFile(path), geometry_(geometry), clock_(std::move(clock)) {}

template <typename... Args>
void DecisionJsonl::event(fmt::format_string<Args...> format, Args&&... args) {
    if (muted_) {
        return;
    }
    file_.print("{{\"t\":{},", to_ns(clock_()));
    file_.print(format, std::forward<Args>(args)...);
    file_.print("}}\n");
}

void DecisionJsonl::write(Lpn lpn, bool hit) {
    event(R"("ev":"write","lpn":{},"hit":{})", raw(lpn), hit);
}

void DecisionJsonl::read(Lpn lpn, bool hit) {
    event(R"("ev":"read","lpn":{},"hit":{})", raw(lpn), hit);
}

void DecisionJsonl::trim(Lpn lpn) {
    event(R"("ev":"trim","lpn":{})", raw(lpn));
}

void DecisionJsonl::pin_page(Lpn lpn) {
    event(R"("ev":"pin","lpn":{})", raw(lpn));
}
void DecisionJsonl::pin_block(Lbn lbn) {
    event(R"("ev":"pin","lbn":{})", raw(lbn));
}

void DecisionJsonl::evict_page(Lpn lpn) {
    event(R"("ev":"evict","unit":"page","lpn":{})", raw(lpn));
}
void DecisionJsonl::clean_page(Lpn lpn) {
    event(R"("ev":"clean","unit":"page","lpn":{})", raw(lpn));
}

void DecisionJsonl::evict_block(Lbn lbn, const std::vector<Lpn>& pages,
                                const std::vector<Lpn>& padding) {
    leaves("evict", lbn, pages, padding);
}
void DecisionJsonl::clean_block(Lbn lbn, const std::vector<Lpn>& pages,
                                const std::vector<Lpn>& padding) {
    leaves("clean", lbn, pages, padding);
}
void DecisionJsonl::leaves(const char* how, Lbn lbn, const std::vector<Lpn>& pages,
                           const std::vector<Lpn>& padding) {
    if (!muted_) {
        event(R"("ev":"{}","unit":"block","lbn":{},"lpns":[{}],"padding":[{}])", how, raw(lbn),
              numbers(pages), numbers(padding));
    }
}

void DecisionJsonl::allocate(Lbn lbn, DieId die, std::optional<DieId> from) {
    const std::uint32_t channel = raw(geometry_.channel_of(die));
    const std::uint32_t way = geometry_.slot_of(die);
    if (from) {
        event(R"("ev":"allocate","lbn":{},"channel":{},"way":{},"from":[{},{}])", raw(lbn), channel,
              way, raw(geometry_.channel_of(*from)), geometry_.slot_of(*from));
    } else {
        event(R"("ev":"allocate","lbn":{},"channel":{},"way":{})", raw(lbn), channel, way);
    }
}

std::string DecisionJsonl::place_of(BlockId block) const {
    if (muted_) {
        return {};
    }
    const PlaneId plane = geometry_.plane_of(block);
    const DieId die = geometry_.die_of(plane);
    return fmt::format(R"("channel":{},"way":{},"plane":{},"block":{})",
                       raw(geometry_.channel_of(die)), geometry_.slot_of(die),
                       geometry_.plane_in_die(plane), geometry_.block_in_plane(block));
}

void DecisionJsonl::program(Origin origin, Lpn lpn, Ppn page) {
    event(R"("ev":"program","origin":"{}","lpn":{},{},"page":{})", name(origin), raw(lpn),
          place_of(geometry_.block_of(page)), geometry_.page_in_block(page));
}

void DecisionJsonl::merge(MergeKind kind, Lbn lbn, std::uint32_t copies, std::uint32_t erases) {
    event(R"("ev":"merge","kind":"{}","lbn":{},"copies":{},"erases":{})",
          kMergeKinds.at(static_cast<std::size_t>(kind)), raw(lbn), copies, erases);
}

void DecisionJsonl::gc(BlockId victim, std::uint32_t copies) {
    emptied("gc", victim, copies);
}

void DecisionJsonl::level(BlockId block, std::uint32_t copies) {
    emptied("wear", block, copies);
}

void DecisionJsonl::refresh(BlockId block, std::uint32_t copies) {
    emptied("refresh", block, copies);
}

void DecisionJsonl::fold(BlockId block, std::uint32_t copies) {
    emptied("fold", block, copies);
}

void DecisionJsonl::emptied(const char* why, BlockId block, std::uint32_t copies) {
    event(R"("ev":"{}",{},"copies":{})", why, place_of(block), copies);
}

void DecisionJsonl::retire(BlockId block) {
    event(R"("ev":"retire",{})", place_of(block));
}

void DecisionJsonl::map(MapEvent kind, std::uint32_t table, std::uint32_t entries) {
    event(R"("ev":"map","kind":"{}","vtpn":{},"entries":{})",
          kMapEvents.at(static_cast<std::size_t>(kind)), table, entries);
}

void DecisionJsonl::tune(const TuneEvent& e) {
    event(
        R"("ev":"tune","request":{},"buffer_bytes":{},"map_bytes":{},"benefit_buffer":{},"benefit_map":{})",
        e.request, e.buffer_bytes, e.map_bytes, e.buffer_benefit, e.map_benefit);
}

} // namespace cavern
