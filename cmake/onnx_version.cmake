# The ONNX that script/bootstrap builds; it reads these lines.
set(ONNXCMP_ONNX_VERSION 1.22.0)
set(ONNXCMP_ONNX_SHA256 ef40c0aaf0b643857ea9306fc7eddce17eaf9fb0407e4801f1fc5758443a38e0)
set(ONNXCMP_ONNX_BUILD 1)  # to be raised when it is built in another way
