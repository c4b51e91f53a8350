// Plays libcuda.so.1, whose presence alone is asked for.
extern "C" __attribute__((visibility("default"))) int tensorscope_fake_driver() {
  return 0;
}
