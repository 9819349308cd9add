// A platform with a modelled SSD: four threads write pages to the drive and read them back. The
// data lie in a memory, which drive and threads reach over one bus. Prints latencies; compares
// every byte.

#define SC_INCLUDE_DYNAMIC_PROCESSES
#include <array>
#include <cavern/ssd.h>
#include <cstdio>
#include <cstring>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

using sc_core::sc_time;
using Payload = tlm::tlm_generic_payload;

constexpr unsigned kPage = 4096;
constexpr unsigned kThreads = 4;
constexpr unsigned kPages = 64; // of each thread
using Page = std::array<unsigned char, kPage>;

/// 8 GB/s behind 80 ns.
struct Memory : sc_core::sc_module {
    tlm_utils::simple_target_socket<Memory, 64> socket{"socket"};
    std::vector<unsigned char> bytes = std::vector<unsigned char>(16 << 20);

    explicit Memory(const sc_core::sc_module_name& name) : sc_module(name) {
        socket.register_b_transport(this, &Memory::transport);
    }
    void transport(Payload& payload, sc_time& delay) {
        const std::uint64_t at = payload.get_address();
        const unsigned length = payload.get_data_length();
        if (at > bytes.size() || length > bytes.size() - at) {
            payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        if (payload.is_write()) {
            std::memcpy(&bytes[at], payload.get_data_ptr(), length);
        } else {
            std::memcpy(payload.get_data_ptr(), &bytes[at], length);
        }
        delay += sc_time(80 + length / 8.0, sc_core::SC_NS);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
};

/// One transfer at a time, whoever asks.
struct Bus : sc_core::sc_module {
    tlm_utils::simple_target_socket<Bus, 64> from_master{"from_master"};
    tlm_utils::simple_target_socket<Bus, 64> from_ssd{"from_ssd"};
    tlm_utils::simple_initiator_socket<Bus, 64> to_memory{"to_memory"};
    sc_core::sc_mutex mutex;

    explicit Bus(const sc_core::sc_module_name& name) : sc_module(name) {
        from_master.register_b_transport(this, &Bus::transport);
        from_ssd.register_b_transport(this, &Bus::transport);
    }
    void transport(Payload& payload, sc_time& delay) {
        mutex.lock();
        to_memory->b_transport(payload, delay);
        wait(delay);
        delay = sc_core::SC_ZERO_TIME;
        mutex.unlock();
    }
};

/// Several threads, each with pages of its own in memory and on the drive.
struct Master : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<Master, 64> to_bus{"to_bus"};
    tlm_utils::simple_initiator_socket<Master, 64> to_ssd{"to_ssd"};
    std::array<sc_time, 2> total; // of writes, of reads
    unsigned wrong = 0;

    explicit Master(const sc_core::sc_module_name& name) : sc_module(name) {
        for (unsigned thread = 0; thread < kThreads; ++thread) {
            sc_core::sc_spawn([this, thread] { run(thread); });
        }
    }
    template <typename Socket>
    sc_time access(Socket& socket, tlm::tlm_command what, std::uint64_t address, Page* data,
                   cavern::CommandExtension* extension = nullptr) {
        Payload payload;
        payload.set_command(what);
        payload.set_address(address);
        payload.set_data_ptr(data == nullptr ? nullptr : data->data());
        payload.set_data_length(kPage);
        payload.set_streaming_width(kPage);
        payload.set_extension(extension);
        const sc_time begin = sc_core::sc_time_stamp();
        sc_time delay;
        socket->b_transport(payload, delay);
        wait(delay);
        payload.clear_extension(extension);
        wrong += payload.is_response_ok() ? 0 : 1;
        return sc_core::sc_time_stamp() - begin;
    }
    void run(std::uint64_t thread) {
        const std::uint64_t buffer = thread * kPage;
        cavern::CommandExtension by_dma; // the drive fetches and delivers the data by itself
        by_dma.dma = true;
        by_dma.host_address = buffer;
        for (const tlm::tlm_command what : {tlm::TLM_WRITE_COMMAND, tlm::TLM_READ_COMMAND}) {
            for (std::uint64_t i = 0; i < kPages; ++i) {
                const std::uint64_t page = thread * kPages + i;
                Page expected;
                expected.fill(static_cast<unsigned char>(page * 7 + 1));
                if (what == tlm::TLM_WRITE_COMMAND) {
                    access(to_bus, what, buffer, &expected);
                }
                total[what] += access(to_ssd, what, page * kPage, nullptr, &by_dma);
                if (what == tlm::TLM_READ_COMMAND) {
                    Page found;
                    access(to_bus, what, buffer, &found);
                    wrong += found == expected ? 0 : 1;
                }
            }
        }
    }
};

int sc_main(int argc, char** argv) {
    std::vector<std::string> overrides;
    for (int i = 2; i < argc; ++i) {
        overrides.emplace_back(argv[i]);
    }
    cavern::Ssd ssd("ssd", argc > 1 ? argv[1] : "tlc-nvme.toml", overrides);
    Memory memory("memory");
    Bus bus("bus");
    Master master("master");
    master.to_ssd.bind(ssd.commands);
    master.to_bus.bind(bus.from_master);
    ssd.dma.bind(bus.from_ssd);
    bus.to_memory.bind(memory.socket);
    sc_core::sc_start();
    const double commands = kThreads * kPages;
    std::printf("write %.1f us, read %.1f us, %u wrong\n",
                master.total[tlm::TLM_WRITE_COMMAND].to_seconds() * 1e6 / commands,
                master.total[tlm::TLM_READ_COMMAND].to_seconds() * 1e6 / commands, master.wrong);
    ssd.check();
    return master.wrong == 0 ? 0 : 1;
}
