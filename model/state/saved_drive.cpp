#include "state/saved_drive.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string_view>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>

#include "config/config_show.h"
#include "core/base/check.h"
#include "core/base/error.h"
#include "core/base/sha256.h"
#include "drive/controller.h"
#include "drive/core_builder.h"

namespace cavern {
namespace {

namespace fs = std::filesystem;

/// Keys that no decision asks for, and sections of such.
constexpr std::array kOfTime{"name",      "fidelity",      "seed",        "sampled.",
                             "workload.", "precondition.", "channel.",    "scheduler.",
                             "dram.",     "cpu.",          "controller.", "power_loss."};
/// The same of the NAND, by how their names begin.
constexpr std::array kOfNand{"part", "vcc", "icc", "ready", "poll", "t_whr"};
/// But for an allocator that works out what operations take.
constexpr std::array kTimesOfNand{"t_",
                                  "slc_t_",
                                  "interface",
                                  "timing_mode",
                                  "bus_",
                                  "command_cycle",
                                  "read_cycles",
                                  "program_cycles",
                                  "erase_cycles",
                                  "program_suspend",
                                  "erase_suspend",
                                  "suspend",
                                  "cache_",
                                  "reset"};

template <typename Names>
bool begins_with_one(const Names& names, std::string_view key) {
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view name) { return key.substr(0, name.size()) == name; });
}

/// The name within a section; empty: it is of another.
std::string_view name_in(std::string_view section, std::string_view key) {
    return key.substr(0, section.size()) == section ? key.substr(section.size())
                                                    : std::string_view();
}

bool matters(std::string_view key, StateKind kind, const DrivePlan& plan) {
    const std::string_view of_nand = name_in("nand.", key);
    const bool measures = plan.alloc.scheme->measures_times;
    if (begins_with_one(kOfTime, key) || begins_with_one(kOfNand, of_nand) ||
        (!measures && begins_with_one(kTimesOfNand, of_nand)) ||
        (!name_in("host.", key).empty() && name_in("host.fdp.", key).empty())) {
        return false;
    }
    // A write buffer is passed by before the run, but where it shares its memory with the map.
    return kind == StateKind::kPlayed || plan.ftl.adaptive ||
           (name_in("buffer.", key).empty() && !begins_with_one(std::array{"copy_back"}, of_nand));
}

/// A part saves and loads itself by one function: saving changes nothing that it does.
template <typename T>
T& to_save(const T& part) {
    return const_cast<T&>(part);
}

void serialize_text(StateArchive& archive, std::string& text) {
    std::vector<char> bytes(text.begin(), text.end());
    archive(bytes);
    text.assign(bytes.begin(), bytes.end());
}

void serialize_keys(StateArchive& archive, StateKeys& keys) {
    std::uint64_t count = keys.size();
    archive(count);
    if (count > 10'000) {
        throw StateError("it was saved by another version of the program; save it anew");
    }
    keys.resize(count);
    for (auto& [key, value] : keys) {
        serialize_text(archive, key);
        serialize_text(archive, value);
    }
}

void serialize_drive(StateArchive& archive, DriveCore& core, NandArray& array, DriveData* data,
                     PreconditionResult& shown, StateKind kind) {
    archive(shown.amplification, shown.window, shown.steady);
    core.serialize(archive, kind == StateKind::kPlayed);
    archive(array);
    if (data != nullptr) {
        archive(*data);
    }
}

/// "ftl.gc_policy = greedy, and this drive has d-choices"
void require_same(const StateKeys& saved, const StateKeys& here) {
    const auto value_in = [](const StateKeys& keys, const std::string& key) {
        const auto at = std::find_if(keys.begin(), keys.end(),
                                     [&](const auto& pair) { return pair.first == key; });
        return at == keys.end() ? std::string("none") : at->second;
    };
    const auto compare = [&](const StateKeys& keys) {
        for (const auto& pair : keys) {
            const std::string was = value_in(saved, pair.first);
            const std::string is = value_in(here, pair.first);
            if (was != is) {
                throw StateError(fmt::format(
                    "it was saved of a drive with {} = {}, and this one has {}; give the same",
                    pair.first, was, is));
            }
        }
    };
    compare(here);
    compare(saved);
}

PreconditionResult load(const std::string& path, const ResolvedConfig& resolved, DriveCore& core,
                        NandArray& array, UntimedData* data) {
    StateReader reader(path);
    StateKind kind{};
    StateKeys saved;
    reader(kind);
    serialize_keys(reader, saved);
    require_same(saved, state_keys(resolved, kind));
    PreconditionResult shown;
    serialize_drive(reader, core, array, data != nullptr ? &data->data() : nullptr, shown, kind);
    reader.finish();
    core.reset_counters();
    return shown;
}

/// What goes wrong as a file is loaded, as a StateError.
template <typename Load>
auto loading(Load load) {
    try {
        return load();
    } catch (const std::bad_alloc&) {
        throw StateError("there is no memory for what it holds; a machine with more");
    } catch (const std::length_error&) {
        throw StateError("it is damaged; save it anew");
    } catch (const std::out_of_range&) {
        throw StateError("it is damaged; save it anew");
    }
}

/// Pages written before a run, at most.
std::uint64_t most_writes(const Precondition& what, std::uint64_t host_pages) {
    const double rounds = what.until ? what.until->round * what.until->max_rounds : 0.0;
    return static_cast<std::uint64_t>(what.fill * static_cast<double>(host_pages) *
                                      (1.0 + what.overwrite + rounds));
}

/// Of one file, among processes; gone with the process that has it.
class FileLock {
  public:
    /// While it waits, `observer`, which may be null, may give up.
    FileLock(const std::string& path, RunObserverIf* observer)
        : file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
        constexpr useconds_t kPause = 20'000;
        while (file_ >= 0 && flock(file_, LOCK_EX | LOCK_NB) != 0 &&
               (errno == EWOULDBLOCK || errno == EINTR)) {
            if (observer != nullptr) {
                observer->preconditioning(0, 1);
            }
            usleep(kPause);
        }
    }
    ~FileLock() {
        if (file_ >= 0) {
            close(file_);
        }
    }
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

  private:
    int file_; ///< < 0: the folder cannot be written, and there is nothing to lock
};

/// Of the states in a folder, those used longest ago, until no more than `most` bytes are left.
void remove_oldest(const std::string& folder, std::uint64_t most, const std::string& but) {
    struct File {
        fs::file_time_type used;
        fs::path path;
        std::uint64_t bytes;
    };
    std::vector<File> files;
    std::uint64_t bytes = 0;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none)) {
        if (entry.path().extension() == ".state") {
            files.push_back({entry.last_write_time(none), entry.path(), entry.file_size(none)});
            bytes += files.back().bytes;
        }
    }
    std::sort(files.begin(), files.end(),
              [](const File& a, const File& b) { return a.used < b.used; });
    for (const File& file : files) {
        if (bytes <= most) {
            break;
        }
        if (file.path != but) {
            fs::remove(file.path, none);
            fs::remove(file.path.string() + ".lock", none);
            bytes -= file.bytes;
        }
    }
}

[[noreturn]] void throw_as_users(const std::string& path, const StateError& error) {
    const std::string what = error.what();
    const std::size_t cut = what.rfind("; ");
    throw UserError(path, what.substr(0, cut), what.substr(cut + 2));
}

} // namespace

StateKeys state_keys(const ResolvedConfig& resolved, StateKind kind) {
    StateKeys keys = config_values(resolved);
    keys.erase(std::remove_if(
                   keys.begin(), keys.end(),
                   [&](const auto& pair) { return !matters(pair.first, kind, resolved.config); }),
               keys.end());
    // Which blocks fail when is drawn from the seed, or told by a file.
    if (resolved.config.ftl_params.faults.any()) {
        keys.emplace_back("seed", std::to_string(resolved.config.seed));
    }
    for (const ConfigInput& file : resolved.files) {
        if (file.name == "nand.fault_list") {
            keys.emplace_back("the file of nand.fault_list", sha256_of_file(file.path));
        }
    }
    return keys;
}

void require_savable(const ResolvedConfig& resolved, StateKind kind) {
    const DrivePlan& plan = resolved.config;
    const auto refuse = [&](bool has, const std::vector<std::string>& keys, const char* what,
                            const char* right) {
        if (has) {
            const SettingOrigin at = latest_origin(resolved, keys).value();
            throw UserError(at.file, at.line, what, right);
        }
    };
    refuse(plan.data.store != DataStore::kNone && kind == StateKind::kPlayed, {"data.store"},
           "the state of a drive that keeps data is not saved at the end of a run",
           "data.store = \"none\"");
    refuse(plan.power_loss.happens(), {"power_loss.at", "power_loss.cuts", "power_loss.on_signal"},
           "the state of a drive that can lose its power is not saved",
           "no power_loss.at, power_loss.cuts or power_loss.on_signal");
    refuse(executes_firmware(plan.cpu.model), {"cpu.model"},
           "the state of a drive whose processor executes firmware is not saved",
           "cpu.model = \"none\" or \"cost\"");
    refuse(plan.cpu.decides != Decides::kCore, {"cpu.decides"},
           "the state of a drive in which firmware decides is not saved", "cpu.decides = \"core\"");
}

bool is_savable(const ResolvedConfig& resolved, StateKind kind) {
    try {
        require_savable(resolved, kind);
    } catch (const UserError&) {
        return false;
    }
    return true;
}

DriveSaver::DriveSaver(const std::string& path, const ResolvedConfig& resolved)
    : path_(path), resolved_(resolved), writer_(path) {}

void DriveSaver::save(const DriveCore& core, const NandArray& array, const DriveData* data,
                      const PreconditionResult& shown, StateKind kind) {
    StateKeys keys = state_keys(resolved_, kind);
    try {
        writer_(kind);
        serialize_keys(writer_, keys);
        serialize_drive(writer_, to_save(core), to_save(array), const_cast<DriveData*>(data),
                        to_save(shown), kind);
    } catch (const StateError& error) { // of a part of the user's own
        throw_as_users(path_, error);
    }
}

PreconditionResult SavedDrive::begin(DriveCore& core, NandArray& array, UntimedData* data) {
    try {
        return loading([&] { return load(path_, resolved_, core, array, data); });
    } catch (const StateError& error) {
        throw_as_users(path_, error);
    }
}

CachedDrive::CachedDrive(std::string folder, std::uint64_t most_bytes,
                         const ResolvedConfig& resolved, std::string program,
                         RunObserverIf* observer, std::uint64_t least_writes)
    : folder_(std::move(folder)), most_bytes_(most_bytes), resolved_(resolved),
      program_(std::move(program)), observer_(observer), least_writes_(least_writes) {}

std::string CachedDrive::path() const {
    Sha256 of;
    const auto add = [&of](std::string_view text) {
        of.add(text);
        of.add(std::string_view("\n"));
    };
    add(program_);
    StateKeys keys = state_keys(resolved_, StateKind::kPreconditioned);
    for (const auto& [key, value] : config_values(resolved_)) {
        if (key == "seed" || key.rfind("precondition.", 0) == 0) {
            keys.emplace_back(key, value);
        }
    }
    for (const auto& [key, value] : keys) {
        add(key + " = " + value);
    }
    constexpr std::size_t kDigits = 32;
    return (fs::path(folder_) / (of.digest().substr(0, kDigits) + ".state")).string();
}

PreconditionResult CachedDrive::begin(DriveCore& core, NandArray& array, UntimedData* data) {
    const DrivePlan& plan = resolved_.config;
    const Precondition what = precondition_of(plan);
    const auto fill = [&] {
        return precondition(core, array, what, plan.seed, watch_of(observer_), data);
    };
    if (most_writes(what, core.host_pages()) < least_writes_) {
        return fill();
    }
    const std::string file = path();
    std::error_code none;
    fs::create_directories(folder_, none);
    const FileLock lock(file + ".lock", observer_);
    if (fs::exists(file, none)) {
        fs::last_write_time(file, fs::file_time_type::clock::now(), none);
        try {
            return loading([&] { return load(file, resolved_, core, array, data); });
        } catch (const StateError& error) {
            fs::remove(file, none);
            throw UserError(file, error.what(), "run again: it has been removed");
        }
    }
    const PreconditionResult shown = fill();
    try {
        DriveSaver saver(file, resolved_);
        saver.save(core, array, data != nullptr ? &data->data() : nullptr, shown,
                   StateKind::kPreconditioned);
        saver.commit();
        remove_oldest(folder_, most_bytes_, file);
    } catch (const UserError&) {
        // There is no room for it, or a part does not say how it is saved: the next run fills the
        // drive anew.
    }
    return shown;
}

} // namespace cavern
