// nbd_mutation SECONDS SEED: clients of the network block device. One keeps to the protocol; others
// send bytes that were changed on the way, stop in the middle, or never read an answer. Bytes are
// cut anywhere, requests are done in any order. Deterministic in SEED but for where it stops. Built
// with the sanitizers. What is checked beside them:
//   - a client gets bounded memory, and all of it comes back
//   - the client that keeps to the protocol gets its answers, each once, with the data that it and
//     nobody else wrote
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "tests/serve/nbd/memory_export.h"
#include "tests/serve/nbd/nbd_client.h"

namespace cavern {
namespace {

using nbd::Command;
using nbd::Session;
using testing::ClientBytes;
using testing::ClientReply;
using testing::MemoryExport;
using testing::ServerBytes;

constexpr std::uint64_t kSize = 1u << 20;
constexpr std::uint64_t kBlock = MemoryExport::kBlock;

void require(bool condition, const char* what) {
    if (!condition) {
        std::fprintf(stderr, "nbd_mutation: %s\n", what);
        std::_Exit(1); // no crash: the control expects it
    }
}

/// The way into the export: a few options in any order, then one that ends the handshake.
std::string handshake(bool structured, Random& random) {
    ClientBytes client;
    client.hello();
    if (structured) {
        client.option(nbd::Option::kStructuredReply);
        client.contexts(nbd::Option::kSetMetaContext, {"base:allocation"});
    }
    if (random.below(4) == 0) {
        client.option(nbd::Option::kList).option(nbd::Option::kStartTls);
    }
    return random.below(3) == 0 ? client.option(nbd::Option::kExportName, "cavern").bytes()
                                : client.go("cavern").bytes();
}

/// Keeps to the protocol, and knows what it has written.
class HonestClient {
  public:
    explicit HonestClient(Random& random)
        : structured_(random.below(2) == 0), random_(random), content_(kSize) {
        to_send_ = handshake(structured_, random);
    }

    /// The next request, unless an outstanding one touches the same blocks.
    void ask() {
        Asked asked;
        asked.blocks = 1 + random_.below(random_.below(8) == 0 ? 1024 : 16);
        asked.first = random_.below(kSize / kBlock - asked.blocks);
        for (const auto& [cookie, other] : outstanding_) {
            if (asked.first < other.first + other.blocks &&
                other.first < asked.first + asked.blocks) {
                return;
            }
        }
        static constexpr Command kCommands[] = {
            Command::kRead, Command::kRead,        Command::kWrite,       Command::kWrite,
            Command::kTrim, Command::kWriteZeroes, Command::kBlockStatus, Command::kRead};
        asked.command = kCommands[random_.below(structured_ ? 8 : 6)];
        const auto length = static_cast<std::uint32_t>(asked.blocks * kBlock);
        if (asked.command == Command::kWrite) {
            const std::uint64_t salt = random_.below(255) + 1;
            for (std::uint64_t i = 0; i < length; ++i) {
                asked.data += static_cast<char>(salt * (i / 7 + 1));
            }
        }
        const std::uint64_t cookie = random_.below(~std::uint64_t{0});
        ClientBytes request;
        request.request(asked.command, cookie, asked.first * kBlock, length, 0, asked.data);
        to_send_ += request.bytes();
        outstanding_[cookie] = std::move(asked);
    }
    /// More of what the server says.
    void hear(const std::string& bytes) {
        heard_ += bytes;
        if (in_handshake_) {
            return;
        }
        for (;;) {
            ServerBytes server(heard_);
            const ClientReply reply =
                server.reply([this](std::uint64_t cookie) { return length_of(cookie); });
            if (server.wrong) {
                return; // not all of it is here
            }
            heard_ = heard_.substr(heard_.size() - server.left());
            answered(reply);
        }
    }
    /// All of the handshake has been heard.
    void begins() {
        in_handshake_ = false;
        heard_.clear();
    }

    [[nodiscard]] bool settled() const { return outstanding_.empty() && heard_.empty(); }
    [[nodiscard]] bool in_handshake() const { return in_handshake_; }
    [[nodiscard]] std::uint64_t answers() const { return answers_; }
    std::string to_send_;

  private:
    struct Asked {
        Command command = Command::kRead;
        std::uint64_t first = 0;
        std::uint64_t blocks = 0;
        std::string data;
    };

    [[nodiscard]] std::size_t length_of(std::uint64_t cookie) const {
        const auto found = outstanding_.find(cookie);
        return found != outstanding_.end() && found->second.command == Command::kRead
                   ? found->second.blocks * kBlock
                   : 0;
    }
    void answered(const ClientReply& reply) {
        const auto found = outstanding_.find(reply.cookie);
        require(found != outstanding_.end(), "an answer is of a request, and comes once");
        require(reply.error == nbd::kOk, "what is right is done");
        require(reply.structured == structured_, "answers have the form agreed on");
        const Asked asked = std::move(found->second);
        outstanding_.erase(found);
        ++answers_;
        char* place = content_.data() + asked.first * kBlock;
        const std::uint64_t length = asked.blocks * kBlock;
        if (asked.command == Command::kWrite) {
            std::memcpy(place, asked.data.data(), length);
        } else if (asked.command == Command::kRead) {
            const std::size_t skip = structured_ ? 8 : 0;
            require(reply.data.size() == skip + length, "a read has its length");
            require(std::memcmp(reply.data.data() + skip, place, length) == 0,
                    "a client reads what it wrote");
        } else if (asked.command != Command::kBlockStatus) {
            std::memset(place, 0, length);
        }
    }

    bool structured_;
    Random& random_;
    bool in_handshake_ = true;
    std::string heard_;
    std::vector<char> content_;
    std::map<std::uint64_t, Asked> outstanding_;
    std::uint64_t answers_ = 0;
};

/// A stream as a client sends it, before it is changed.
std::string some_stream(Random& random) {
    ClientBytes stream;
    stream.put(handshake(random.below(2) == 0, random));
    for (std::uint64_t i = random.below(40); i > 0; --i) {
        const auto command = static_cast<Command>(random.below(9));
        const auto length = static_cast<std::uint32_t>(kBlock * random.below(20));
        const std::string data(command == Command::kWrite ? length : 0, 'h');
        stream.request(command, random.below(1000), kBlock * random.below(kSize / kBlock), length,
                       static_cast<std::uint16_t>(random.below(4)), data);
    }
    return stream.bytes();
}

void change(std::string& stream, Random& random) {
    static const std::vector<std::string> words{std::string(4, '\0'),
                                                std::string(4, '\xFF'),
                                                std::string(8, '\xFF'),
                                                "\x7F\xFF\xFF\xFF",
                                                "IHAVEOPT",
                                                "\x25\x60\x95\x13",
                                                std::string(100, '\0'),
                                                std::string("\0\0\2\0", 4),
                                                std::string("\2\0\0\0", 4)};
    const std::size_t place = random.below(stream.size() + 1);
    switch (random.below(6)) {
    case 0:
        if (place < stream.size()) {
            stream[place] = static_cast<char>(random.below(256));
        }
        break;
    case 1:
        stream.erase(place, 1 + random.below(8));
        break;
    case 2:
        stream.insert(place, words[random.below(words.size())]);
        break;
    case 3: {
        const std::string& word = words[random.below(words.size())];
        stream.replace(place, std::min(word.size(), stream.size() - place), word);
        break;
    }
    case 4:
        stream.insert(place, stream.substr(random.below(stream.size() + 1), random.below(200)));
        break;
    default:
        if (place < stream.size()) {
            stream[place] = static_cast<char>(stream[place] ^ (1 << random.below(8)));
        }
    }
}

/// Sends some of what the session has to say; returns it.
std::string hear_some(Session& session, Random& random) {
    std::string all;
    if (!session.has_output()) {
        return all;
    }
    std::array<iovec, Session::kMostPieces> pieces{};
    const std::size_t count = session.gather(pieces);
    std::size_t left = random.below(4) == 0 ? 1 + random.below(40) : ~std::size_t{0};
    for (std::size_t i = 0; i < count && left > 0; ++i) {
        const std::size_t bytes = std::min(left, pieces[i].iov_len);
        all.append(static_cast<const char*>(pieces[i].iov_base), bytes);
        left -= bytes;
    }
    session.sent(all.size());
    return all;
}

/// Sends some of `bytes`, which are taken away.
void say_some(Session& session, std::string& bytes, Random& random) {
    if (bytes.empty() || !session.wants_input()) {
        return;
    }
    const std::size_t chunk = random.below(3) == 0 ? 1 + random.below(50) : bytes.size();
    const Session::Space space = session.space();
    require(space.bytes > 0, "where input is wanted there is space for it");
    const std::size_t now = std::min({chunk, space.bytes, bytes.size()});
    std::memcpy(space.to, bytes.data(), now);
    session.received(now);
    bytes.erase(0, now);
}

void complete_one(MemoryExport& from, Random& random, bool may_fail) {
    if (from.waiting() != 0) {
        from.complete(random.below(from.waiting()),
                      may_fail && random.below(10) == 0 ? nbd::kEio : nbd::kOk);
    }
}

void check_bounds(const Session& session) {
    require(session.requests() <= Session::kMostRequests, "requests of a client are bounded");
    require(session.bytes() <= nbd::kMostPayload + Session::kMostBytes,
            "memory of a client is bounded");
}

struct Totals {
    std::uint64_t cases = 0;
    std::uint64_t answers = 0;
};

void run_case(Random& random, Totals& totals) {
    nbd::BufferPool pool;
    {
        MemoryExport ours(kSize);
        MemoryExport theirs(kSize);
        Session session(ours, pool);
        HonestClient honest(random);
        struct Hostile {
            std::unique_ptr<Session> session;
            std::string stream;
            bool reads;
        };
        std::vector<Hostile> hostile;
        for (std::uint64_t i = random.below(4); i > 0; --i) {
            hostile.push_back({std::make_unique<Session>(theirs, pool), some_stream(random),
                               random.below(4) != 0});
            for (std::uint64_t edits = random.below(6); edits > 0; --edits) {
                change(hostile.back().stream, random);
            }
        }
        for (std::uint64_t step = 0; step < 600; ++step) {
            if (honest.in_handshake()) {
                if (session.handshake().state() == nbd::Handshake::State::kTransmission &&
                    !session.has_output()) {
                    honest.begins();
                }
            } else if (random.below(2) == 0 && step < 500) {
                honest.ask();
            }
            say_some(session, honest.to_send_, random);
            complete_one(ours, random, false);
            honest.hear(hear_some(session, random));
            check_bounds(session);
            for (Hostile& each : hostile) {
                say_some(*each.session, each.stream, random);
                complete_one(theirs, random, true);
                if (each.reads) {
                    hear_some(*each.session, random);
                }
                check_bounds(*each.session);
                if (random.below(400) == 0) {
                    random.below(2) == 0 ? each.session->abort() : each.session->end_of_input();
                }
            }
        }
        for (int rounds = 0; !(honest.to_send_.empty() && honest.settled()); ++rounds) {
            require(rounds < 100'000, "a client that keeps to the protocol is served to the end");
            say_some(session, honest.to_send_, random);
            complete_one(ours, random, false);
            honest.hear(hear_some(session, random));
        }
        require(!session.ended() && session.wants_input(), "and may go on");
        totals.answers += honest.answers();
        for (Hostile& each : hostile) {
            each.session->abort();
            require(each.session->ended(), "who is gone has ended");
        }
        while (theirs.waiting() != 0) {
            complete_one(theirs, random, true);
        }
        for (const Hostile& each : hostile) {
            require(each.session->in_export() == 0, "no request is forgotten");
        }
    }
    require(pool.in_use() == 0, "every buffer comes back");
    ++totals.cases;
}

int run(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: nbd_mutation SECONDS SEED\n");
        return 2;
    }
    Random random(std::strtoull(argv[2], nullptr, 10));
    const auto end = std::chrono::steady_clock::now() +
                     std::chrono::duration<double>(std::strtod(argv[1], nullptr));
    Totals totals;
    while (std::chrono::steady_clock::now() < end || totals.cases < 20) {
        run_case(random, totals);
    }
    std::printf("%llu cases, %llu answers\n", static_cast<unsigned long long>(totals.cases),
                static_cast<unsigned long long>(totals.answers));
    return totals.answers > 10 * totals.cases ? 0 : 1; // a server that does nothing may not pass
}

} // namespace
} // namespace cavern

int main(int argc, char** argv) {
    return cavern::run(argc, argv);
}
