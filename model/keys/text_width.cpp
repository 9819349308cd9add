#include "keys/text_width.h"

#include <algorithm>
#include <sys/ioctl.h>
#include <unistd.h>

namespace cavern {
namespace {

std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

} // namespace

std::string indented(std::string_view text, std::size_t indent, std::size_t width) {
    const std::string margin(indent, ' ');
    std::string lines;
    std::size_t used = 0; // of the line
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
        const std::string_view word = text.substr(0, end);
        const bool broken = end < text.size() && text[end] == '\n';
        if (!word.empty()) {
            const std::size_t length = characters(word);
            if (used != 0 && used + 1 + length > width) {
                lines += '\n';
                used = 0;
            }
            lines += used == 0 ? margin : " ";
            lines += word;
            used += (used == 0 ? indent : 1) + length;
        }
        if (broken && used != 0) {
            lines += '\n';
            used = 0;
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return used == 0 ? lines : lines + "\n";
}

std::size_t terminal_width() {
    winsize size{};
    if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) {
        return 0;
    }
    return size.ws_col;
}

} // namespace cavern
