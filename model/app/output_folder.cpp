#include "app/output_folder.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fcntl.h>

#include "core/base/error.h"

namespace cavern {

namespace fs = std::filesystem;

fs::path real_path(const fs::path& path) {
    std::error_code error;
    const fs::path whole = fs::absolute(path, error).lexically_normal();
    fs::path real = fs::weakly_canonical(whole, error);
    return error ? whole : real; // a folder that one may not look into
}

MadeFolder::MadeFolder(const fs::path& path) {
    if (path.empty()) {
        return;
    }
    fs::path missing = path;
    std::error_code error;
    while (!missing.empty() && !fs::exists(missing, error) && !error) {
        made_.push_back(missing);
        missing = missing.parent_path();
    }
    error.clear();
    fs::create_directories(path, error);
    std::error_code ignored;
    if (error || !fs::is_directory(path, ignored)) {
        remove();
        throw UserError(path.string(), 1,
                        "cannot be made a folder" +
                            (error ? ": " + error.message() : std::string()),
                        "name an output folder that can be created or exists");
    }
}

MadeFolder::~MadeFolder() {
    remove();
}

void MadeFolder::remove() {
    for (const fs::path& folder : made_) {
        std::error_code ignored;
        fs::remove(folder, ignored); // refuses a folder that is not empty
    }
}

OutputFolder::OutputFolder(fs::path path) : path_(std::move(path)), made_(path_) {
    // The lock goes with the process, whatever ends it.
    lock_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock_ >= 0 && ::flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        ::close(lock_);
        throw UserError(path_.string(), 1, "another run is writing into this folder",
                        "wait for it, or choose another folder with --out");
    }
}

OutputFolder::~OutputFolder() {
    if (lock_ >= 0) {
        ::close(lock_);
    }
}

namespace {

/// Figures say so near their beginning; a PDF at its end, before the list of its objects.
constexpr std::streamoff kLook = 16384;

bool names_run(const fs::path& path, const std::string& id) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    const std::streamoff size = file.tellg();
    file.seekg(path.extension() == ".pdf" ? std::max<std::streamoff>(size - kLook, 0) : 0);
    std::string text(kLook, '\0');
    file.read(text.data(), kLook);
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text.find("cavern-run " + id) != std::string::npos;
}

nlohmann::json previous_run(const fs::path& summary) {
    std::ifstream file(summary);
    const nlohmann::json read = nlohmann::json::parse(file, nullptr, false);
    const bool has = read.is_object() && read.contains("run") && read["run"].is_object() &&
                     read["run"].value("files", nlohmann::json()).is_array() &&
                     read["run"].value("id", nlohmann::json()).is_string();
    return has ? read["run"] : nlohmann::json();
}

bool is_below(const fs::path& path, const fs::path& folder) {
    const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return end == folder.end() && rest != path.end();
}

} // namespace

std::string OutputFolder::seen_from_here(const std::string& path) const {
    return real_path(path).lexically_proximate(real_path(path_)).string();
}

std::string OutputFolder::remove_previous(const std::vector<std::string>& kept) const {
    const nlohmann::json run = previous_run(path_ / "summary.json");
    if (run.is_null()) {
        return {};
    }
    std::error_code error;
    const fs::path here = real_path(path_);
    std::vector<fs::path> wanted;
    for (const std::string& path : kept) {
        wanted.push_back(real_path(path));
    }
    std::vector<fs::path> old;
    for (const nlohmann::json& file : run["files"]) {
        if (file.is_object() && file.value("path", nlohmann::json()).is_string()) {
            old.push_back(real_path(path_ / file["path"].get<std::string>()));
        }
    }
    const std::string id = run["id"].get<std::string>();
    for (const fs::path& drawn : {path_, path_ / "figures"}) {
        for (const fs::directory_entry& entry : fs::directory_iterator(drawn, error)) {
            const std::string kind = entry.path().extension().string();
            if ((kind == ".png" || kind == ".svg" || kind == ".pdf" || kind == ".html") &&
                entry.is_regular_file(error) && names_run(entry.path(), id)) {
                old.push_back(real_path(entry.path()));
            }
        }
    }
    for (const fs::path& path : old) {
        if (is_below(path, here) && fs::is_regular_file(path, error) &&
            std::find(wanted.begin(), wanted.end(), path) == wanted.end()) {
            fs::remove(path, error);
        }
    }
    fs::remove(path_ / "figures", error); // refuses a folder that is not empty
    return id;
}

} // namespace cavern
