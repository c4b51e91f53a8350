#include "core/io/png.h"

#include <png.h>

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/base/check.h"
#include "core/io/file.h"
#include "core/text/message.h"

namespace ts::io {

base::Result<void> write_png(const std::filesystem::path& path, const PictureView& picture) {
  if (picture.width <= 0 || picture.height <= 0) {
    return text::fail(
        "file_error.write",
        {{"path", path.string()},
         text::argument("reason", text::message("file_error.reason.no_picture",
                                                {{"width", std::to_string(picture.width)},
                                                 {"height", std::to_string(picture.height)}}))});
  }
  TS_CHECK(picture.rgb.size() ==
           static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height) * 3);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGB;
  // Space for the worst case: computing the exact size would compress everything twice.
  std::vector<std::uint8_t> encoded(PNG_IMAGE_PNG_SIZE_MAX(image));
  png_alloc_size_t size = encoded.size();
  if (png_image_write_to_memory(&image, encoded.data(), &size, 0, picture.rgb.data(), 0, nullptr) ==
      0) {
    return text::fail("file_error.write", {{"path", path.string()}, {"reason", image.message}});
  }
  return write_file(path, std::string_view(reinterpret_cast<const char*>(encoded.data()), size));
}

}  // namespace ts::io
