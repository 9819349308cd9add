// DFTL after a loss of power.

#include "core/base/check.h"
#include "core/ftl/dftl.h"

namespace cavern {

MountNeeds Dftl::mount_needs() const {
    MountNeeds needs{collector_.low()};
    needs.bad = space_.factory_bad();
    return needs;
}

void Dftl::mount(const MountedDrive& drive) {
    CAVERN_CHECK(drive.places.size() == numbered_pages() && cache_.size() == 0,
                 "what is mounted has the shape of the drive");
    space_.mount(drive, logical_pages());
    for (std::uint64_t number = 0; number < drive.places.size(); ++number) {
        const std::uint64_t place = drive.places[number];
        if (place == 0) {
            continue;
        }
        if (flash_.is_table(Lpn{number})) {
            flash_.set_place_of_table(flash_.table_numbered(Lpn{number}), Ppn{place - 1});
        } else {
            flash_.set_place(Lpn{number}, static_cast<std::uint32_t>(place));
            ++mapped_;
        }
    }
}

} // namespace cavern
