# Everything that is downloaded: name, version, size in MB, sha256. setup.sh takes nothing else.

# LibTorch 2.11 for CPU work: its own libraries need only CUPTI and the CUDA runtime beside them.
# The C++ part of the wheel does not depend on Python, so one wheel serves every system; its Python
# part, which compiles steps ahead of time and checks the tests, is for Python 3.11.
engine_pins=(
  "torch               2.11.0     531 7aa2f9bbc6d4595ba72138026b2074be1233186150e9292865e04b7a63b8c67a"
  "nvidia-cuda-cupti   13.0.85     11 4eb01c08e859bf924d222250d2e8f8b8ff6d3db4721288cf35d14252a4d933c8"
  "nvidia-cuda-runtime 13.0.96      2 7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548"
  "nvidia-cuda-crt     13.0.88      1 2c8043c7c9e02492716426e9919fc78d2c5b3b2a7a768a88e952676b08aa55a4"
)

# The newest torch, for the second engine of a wheel: only ./package asks for it. Its Python part imports the same.
newest_minor=2.15
newest_pins=(
  "torch               2.15.0     540 48c2d861134c0b5697c7602cb5ffa68f62a2989fdcd1717e593356f67996ca1e"
  "nvidia-cuda-cupti   13.2.86     12 8fa29f15dd8336181f961764d9d95236fc6b931dd0c8fcf8cd70aab0c310b586"
  "nvidia-cuda-runtime 13.2.86      3 3498247680dfddce31bad102af7e3e26fc795342a3cac64722bb0fa95e7f60f0"
  "nvidia-cuda-crt     13.2.86      1 e3ab08801bf9b1e6dc979275d25e816bb5000521b648e19c324d5eef0c79f1da"
)

# What PyTorch's Python part imports.
python_pins=(
  "typing-extensions 4.16.0   1 481caa481374e813c1b176ada14e97f1f67a4539ce9cfeb3f350d78d6370c2e8"
  "sympy             1.14.0   7 e091cc3e99d2141a0ba2847328f5479b05d94a6635cb96148ccb3f34671bd8f5"
  "mpmath            1.4.1    1 dc4f0ea2304480d4a9a48a94c1020571558ade522b44a6912efac63a586e140f"
  "networkx          3.6.1    2 d47fbf302e7d9cbbb9e2555a0d267983d2aa476bac30e90dfbe5669bd57f3762"
  "jinja2            3.1.6    1 85ece4451f492d0c13c5dd7c13a64681a86afae63a5f347908daf103ce6d2f67"
  "markupsafe        3.0.4    1 6da83a088f8ef93b2d483a8232a4dbf4d69d3d8496b568a03c56becac43e1808"
  "fsspec            2026.9.0 1 8dd6e646e99ea382bd85f97a45e6b526a442d79423a7dc673f1e2756d05fcb5f"
  "filelock          4.2.11   1 020e229e4bb9d410fc799c07ddf45fa217cba970278f40b30751d94f309b69e2"
)

# What libtorch_cuda.so and these libraries need at load time. Only where there is a driver.
cuda_pins=(
  "nvidia-cublas          13.1.0.3  423 ee8722c1f0145ab246bccb9e452153b5e0515fd094c3678df50b2a0888b8b171"
  "nvidia-cudnn-cu13      9.19.0.56 366 d20e1734305e9d68889a96e3f35094d733ff1f83932ebe462753973e53a572bf"
  "nvidia-cufft           12.0.0.61 214 6c44f692dce8fd5ffd3e3df134b6cdb9c2f72d99cf40b62c32dde45eea9ddad3"
  "nvidia-nccl-cu13       2.28.9    197 e4553a30f34195f3fa1da02a6da3d6337d28f2003943aa0a3d247bbc25fefc42"
  "nvidia-cusparselt-cu13 0.8.0     170 25e30a8a7323935d4ad0340b95a0b69926eee755767e8e0b1cf8dd85b197d3fd"
  "nvidia-cusparse        12.6.3.3  146 2b3c89c88d01ee0e477cb7f82ef60a11a4bcd57b6b87c33f789350b59759360b"
  "nvidia-cuda-nvrtc      13.0.88    90 ad9b6d2ead2435f11cbb6868809d2adeeee302e9bb94bcf0539c7a40d80e8575"
  "nvidia-nvshmem-cu13    3.4.5      60 290f0a2ee94c9f3687a02502f3b9299a9f9fe826e6d0287ee18482e78d495b80"
  "nvidia-curand          10.4.0.35  60 1aee33a5da6e1db083fe2b90082def8915f30f3248d5896bcec36a579d941bfc"
  "nvidia-nvjitlink       13.0.88    41 13a74f429e23b921c1109976abefacc69835f2f433ebd323d3946e11d804e47b"
  "nvidia-cufile          1.15.1.6    1 08a3ecefae5a01c7f5117351c64f17c7c62efa5fffdbe24fc7d298da19cd0b44"
)

# The CUDA compiler, when it is asked for and the system has none.
nvcc_pins=(
  "nvidia-cuda-nvcc 13.0.88 37 56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03"
  "nvidia-nvvm      13.0.88 62 c5f41ffeb6466944a026dfa5317d7d85355c119bbec279205d22f1869d1054e0"
  "nvidia-cuda-cccl 13.0.85  3 e0da7ad981f3a8aff08241b5bfc1af868742a63e2762f53a5171c492ef242649"
)

# Sources of Dear ImGui (docking), ImPlot, GLFW 3.4 and the ImGui test engine.
window_pin="imgui-bundle 1.93.0 54 10ad1dab8258a6787b4f07bb926b08d0efc648a7906242568c8dd778c5e719bf"

# Only where the system's CMake is older than 3.25 (Ubuntu 22.04).
cmake_pin="cmake 3.31.6 28 1c8b05df0602365da91ee6a3336fe57525b137706c4ab5675498f662ae1dbcec"

# transformers and what it imports, for tests of its models (tests/record/config_test.py). Beside PyTorch, so
# that nothing else sees them.
transformers_pins=(
  "transformers    5.23.0     13 018e82fd07490ad5bb58414f65e31576033dc7f36bed10c574843f69b90991bf"
  "anyio           4.16.0      1 c66ae634e0b8228396b801741beb3294326d4b6102f7bba4041c0dfb58c29026"
  "h11             0.16.0      1 63cf8bbe7522de3bf65932fda1d9c2772064ffb3dae62d55932da54b31cb6c86"
  "httpcore2       2.16.2      1 16051ae2a42f776007543f32de9349a317b23d2cbb4e1456b4bac0e88b87419a"
  "httpx2          2.16.2      1 f05c13aade4c45dbf1c9060647a1058f0acad62398fad96e741269edb33d46f5"
  "huggingface-hub 2.4.0       1 42ecfd93ede47bdd333daebbf66a32d7bfe2e18752754fe4d2d4f98a0179d801"
  "idna            3.20        1 ab7ae7122974553370f0bdb919e1a960b2cd1bc1ef0276416d896db81c14582c"
  "numpy           2.4.6      17 89cd468399cfd2504718f0ba50e410dca55a170b61a02ad92bb18c8a65186e93"
  "packaging       26.4        1 81383611a09c1bc0b08b76e0fd5829d7c6824c65b27a6aee339da133f4233ea2"
  "pyyaml          6.0.4       1 622aa875fa6533f25fedcffe23079357d65a690d462200afed5d8e9d0e01ebee"
  "regex           2026.11.19  1 86d3b2ea69b3c56df3e8ddbac6cd98eaf5a8c5b5e7e006897ebdf7a28d6818e6"
  "safetensors     0.8.0       1 fd6f3f93c9a0a7cc2788ee63fb763353d4bd2e89b0751bc78fcf7dda00bea774"
  "tokenizers      0.23.3      3 376851d22bcf9d650a5c3090bb83e6cf9e895fbf0595369fa4cd43c1f69b5f87"
  "tqdm            4.70.1      1 c293e525e6fef9c20e8728fd4612df02a0aa31bb5fe91ecd93e123b1b7bffa73"
  "truststore      0.10.5      1 9aaaedaefaf06d8b206278cf8b5012bc897f485a874503501e12d776df78951c"
)

# For ./test: reads every source in a third of the time that Debian's clang-tidy 14 takes.
tidy_pin="clang-tidy 23.1.4 46 6bb31e4f319ecbe14acb75f23c3050d0f1d4b1d92ea1c66091bc76e4eac2c1ac"
