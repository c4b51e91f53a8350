#pragma once

#include <cstddef>
#include <string_view>

// TS_ASSET(symbol): defines view_SYMBOL(), the bytes that tensorscope_embed put there.
#define TS_ASSET(symbol)                                                                          \
  extern "C" const char tensorscope_asset_##symbol[];                                             \
  extern "C" const char tensorscope_asset_##symbol##_end[];                                       \
  namespace {                                                                                     \
  std::string_view view_##symbol() {                                                              \
    return {                                                                                      \
        tensorscope_asset_##symbol,                                                               \
        static_cast<std::size_t>(tensorscope_asset_##symbol##_end - tensorscope_asset_##symbol)}; \
  }                                                                                               \
  }
