#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "core/base/output_file.h"
#include "core/base/state_archive.h"

namespace cavern {

/// A file of saved state: eight bytes that say so, the number of the format, then blocks of 4 MiB,
/// each a frame of Zstandard with its checksum behind its two sizes. A block without bytes ends it.
/// Nothing of a block is used before all of it is known to be whole.

/// Writes one. It appears under its name with commit(). Throws UserError where it cannot be
/// written.
class StateWriter final : public StateArchive {
  public:
    explicit StateWriter(const std::string& path);
    [[nodiscard]] bool loads() const override { return false; }
    void commit();

  protected:
    void move(void* bytes, std::size_t size) override;

  private:
    using Block = std::vector<unsigned char>;

    void pack();
    /// Writes blocks that are packed until no more than `most` are left.
    void write_all_but(std::size_t most);

    OutputFile file_;
    Block block_; ///< not yet packed
    std::deque<std::future<Block>> packed_;
};

/// Reads one. Throws StateError where it is none, or is not whole.
class StateReader final : public StateArchive {
  public:
    /// Throws UserError where it cannot be opened.
    explicit StateReader(const std::string& path);
    ~StateReader() override;
    [[nodiscard]] bool loads() const override { return true; }
    /// Throws unless all has been read.
    void finish();

  protected:
    void move(void* bytes, std::size_t size) override;

  private:
    using Bytes = std::vector<unsigned char>;
    struct Block {
        Bytes packed;
        Bytes bytes;
    };

    /// Begins to unpack the blocks that come next.
    void look_ahead();
    void read(void* bytes, std::size_t size);

    std::FILE* from_;
    bool ended_ = false; ///< the last block has been seen
    std::deque<std::future<Block>> unpacked_;
    Block block_;
    std::vector<Block> spare_; ///< memory that need not be asked for anew
    std::size_t next_ = 0;     ///< byte of block_
};

/// The same for files that hold the same: a hash of the checksums of all blocks, 16 digits. Empty
/// where the file is no saved state, which a StateReader says.
[[nodiscard]] std::string state_id(const std::string& path);

} // namespace cavern
