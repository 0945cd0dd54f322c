# The ONNX that script/bootstrap builds; it reads these lines, and `script/update_onnx --write`
# writes them.
set(ONNXCMP_ONNX_VERSION 1.23.2)
set(ONNXCMP_ONNX_SHA256 008cb0467b2bbee41448acc7da8b6f4e704624cb0d327a2d5adafc7ce19bc5b8)
set(ONNXCMP_ONNX_BUILD 1)  # to be raised when it is built in another way

# The oldest installed ONNX that will do: operators of newer opsets are unknown with it.
set(ONNXCMP_ONNX_MINIMUM 1.22.0)
