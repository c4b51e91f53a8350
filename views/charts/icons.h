#pragma once

// Font Awesome 6 Solid glyphs, merged into the interface font.
namespace ts::views::icon {

inline constexpr const char* kSearch = "\xef\x80\x82";    // magnifying-glass
inline constexpr const char* kFit = "\xef\x81\xa5";       // expand
inline constexpr const char* kMark = "\xef\x80\xa4";      // flag
inline constexpr const char* kLink = "\xef\x83\x81";      // link
inline constexpr const char* kDown = "\xef\x83\x97";      // caret-down
inline constexpr const char* kPrevious = "\xef\x81\xb7";  // chevron-up
inline constexpr const char* kNext = "\xef\x81\xb8";      // chevron-down
inline constexpr const char* kOptions = "\xef\x87\x9e";   // sliders
inline constexpr const char* kWarning = "\xef\x81\xb1";   // triangle-exclamation

inline constexpr const char* kCopy = "\xef\x83\x85";      // copy
inline constexpr const char* kPicture = "\xef\x80\xbe";   // image
inline constexpr const char* kTimeline = "\xef\x82\x80";  // chart-bar

}  // namespace ts::views::icon
