#include "results/fst_writer.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <gtkwave/fstapi.h>
#include <system_error>
#include <vector>

#include "core/base/error.h"

namespace cavern {

FstWriter::FstWriter(const std::string& path) : context_(fstWriterCreate(path.c_str(), 1)) {
    if (context_ == nullptr) {
        throw UserError(path, 1, "cannot be written", "name a file in a folder that is writable");
    }
    fstWriterSetTimescale(context_, -12);
    fstWriterSetPackType(context_, FST_WR_PT_LZ4);
    // No clock time in it: the same run gives the same file.
    fstWriterSetDate(context_, "");
    fstWriterSetVersion(context_, "cavern");
}

FstWriter::~FstWriter() {
    fstWriterClose(context_);
}

void FstWriter::open_scope(const std::string& name) {
    fstWriterSetScope(context_, FST_ST_VCD_MODULE, name.c_str(), nullptr);
}

void FstWriter::close_scope() {
    fstWriterSetUpscope(context_);
}

FstWriter::Signal FstWriter::wire(const std::string& name, std::uint32_t width) {
    const std::string shown = width == 1 ? name : name + " [" + std::to_string(width - 1) + ":0]";
    return fstWriterCreateVar(context_, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, width, shown.c_str(), 0);
}

FstWriter::Signal FstWriter::text(const std::string& name) {
    return fstWriterCreateVar(context_, FST_VT_GEN_STRING, FST_VD_IMPLICIT, 0, name.c_str(), 0);
}

void FstWriter::at(TimePs time) {
    fstWriterEmitTimeChange(context_, time);
}

void FstWriter::set(Signal signal, std::uint32_t width, std::uint32_t value) {
    fstWriterEmitValueChange32(context_, signal, width, value);
}

void FstWriter::fill(Signal signal, std::uint32_t width, char state) {
    const std::string bits(width, state);
    fstWriterEmitValueChange(context_, signal, bits.c_str());
}

void FstWriter::set_text(Signal signal, const std::string& value) {
    fstWriterEmitVariableLengthValueChange(context_, signal, value.data(),
                                           static_cast<std::uint32_t>(value.size()));
}

struct FstImport::State {
    void* reader = nullptr;
    void* writer = nullptr;
    std::vector<fstHandle> handles{0};  ///< ours, by theirs
    std::vector<std::string> first{""}; ///< last value before the window, by theirs
    TimeWindow window;
    TimePs now = 0;
    bool begun = false;
    const std::function<void(TimePs)>* before = nullptr;

    void move_to(TimePs time) {
        if (begun && time == now) {
            return;
        }
        (*before)(time);
        if (!begun) {
            for (std::size_t handle = 1; handle < handles.size(); ++handle) {
                if (!first[handle].empty()) {
                    fstWriterEmitValueChange(writer, handles[handle], first[handle].c_str());
                }
            }
        }
        begun = true;
        now = time;
    }
    void change(TimePs time, fstHandle handle, const unsigned char* value) {
        const auto* bits = reinterpret_cast<const char*>(value);
        if (time < window.begin) {
            first[handle] = bits;
        } else if (time < window.end) {
            if (!begun) {
                move_to(window.begin);
            }
            move_to(time);
            fstWriterEmitValueChange(writer, handles[handle], bits);
        }
    }
};

FstImport::FstImport(FstWriter& writer, const std::string& path, const std::string& scope)
    : writer_(writer), state_(new State) {
    state_->reader = fstReaderOpen(path.c_str());
    if (state_->reader == nullptr) {
        delete state_;
        throw UserError(path, 1, "is no FST file", "one that this program has written");
    }
    state_->writer = writer.context_;
    state_->handles.resize(fstReaderGetMaxHandle(state_->reader) + 1, 0);
    state_->first.resize(state_->handles.size());
    writer.open_scope(scope);
    while (const fstHier* entry = fstReaderIterateHier(state_->reader)) {
        if (entry->htyp == FST_HT_SCOPE) {
            // The simulation's nameless top has nothing in it but the design.
            writer.open_scope(entry->u.scope.name_length == 0 ? "top" : entry->u.scope.name);
        } else if (entry->htyp == FST_HT_UPSCOPE) {
            writer.close_scope();
        } else if (entry->htyp == FST_HT_VAR) {
            fstHandle& ours = state_->handles[entry->u.var.handle];
            const fstHandle made =
                fstWriterCreateVar(writer.context_, static_cast<fstVarType>(entry->u.var.typ),
                                   static_cast<fstVarDir>(entry->u.var.direction),
                                   entry->u.var.length, entry->u.var.name, ours);
            ours = ours == 0 ? made : ours; // further names of one signal are aliases
        }
    }
    writer.close_scope();
}

FstImport::~FstImport() {
    fstReaderClose(state_->reader);
    delete state_;
}

void FstImport::copy(TimeWindow window, const std::function<void(TimePs)>& before) {
    state_->window = window;
    state_->before = &before;
    fstReaderSetFacProcessMaskAll(state_->reader);
    const auto change = [](void* state, std::uint64_t time, fstHandle handle,
                           const unsigned char* value) {
        static_cast<State*>(state)->change(time, handle, value);
    };
    fstReaderIterBlocks(state_->reader, change, state_, nullptr);
}

/// An FST file is a row of blocks: a byte that says of which kind, then its length in 8 bytes, the
/// most significant first, which counts these 8 as well.
void check_fst(const std::string& path, const std::string& name) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) {
        return;
    }
    const std::uint64_t size = std::filesystem::file_size(path, error);
    std::ifstream file(path, std::ios::binary);
    std::uint64_t at = 0;
    while (at < size) {
        std::array<unsigned char, 9> head{};
        file.seekg(static_cast<std::streamoff>(at));
        file.read(reinterpret_cast<char*>(head.data()), head.size());
        std::uint64_t length = 0;
        for (std::size_t i = 1; i < head.size(); ++i) {
            length = length << 8 | head[i];
        }
        if (!file || length < 8 || length > size - at - 1) {
            at = size + 1;
        } else {
            at += 1 + length;
        }
    }
    if (at != size || size == 0) {
        throw UserError(name, 1, "cannot be written to its end",
                        "name a file on a disk that has room");
    }
}

} // namespace cavern
