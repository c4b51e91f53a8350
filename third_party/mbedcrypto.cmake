# The cryptographic part of Mbed TLS, of which SHA-256 is used. Its static library, so that nothing has
# to be there when the program runs; Debian's CMake package does not say where that is.
find_path(TENSORSCOPE_MBEDTLS_INCLUDE mbedtls/sha256.h REQUIRED)
find_library(TENSORSCOPE_MBEDCRYPTO libmbedcrypto.a REQUIRED)
add_library(mbedcrypto INTERFACE)
target_include_directories(mbedcrypto SYSTEM INTERFACE ${TENSORSCOPE_MBEDTLS_INCLUDE})
target_link_libraries(mbedcrypto INTERFACE ${TENSORSCOPE_MBEDCRYPTO})
# A library of ours does not hand its functions on.
target_link_options(mbedcrypto INTERFACE -Wl,--exclude-libs,libmbedcrypto.a)
