#include "core/base/state_archive.h"
#include "core/nand/nand_array.h"

namespace cavern {

void NandArray::serialize(StateArchive& archive) {
    archive(oob_, versions_, programmed_, copies_, damaged_, torn_, half_erased_, write_pointer_,
            erases_, checks_);
}

} // namespace cavern
