/* error_codes.h: the errors of the CUDA runtime, with CUDA's names, numbers and texts: a list for
 * cuda_runtime_api.h and runtime/errors.c.
 *
 * SPDX-License-Identifier: MIT
 */
CPU_DEVICE_ERROR(cudaSuccess, 0, "no error")
CPU_DEVICE_ERROR(cudaErrorInvalidValue, 1, "invalid argument")
CPU_DEVICE_ERROR(cudaErrorMemoryAllocation, 2, "out of memory")
CPU_DEVICE_ERROR(cudaErrorInitializationError, 3, "initialization error")
CPU_DEVICE_ERROR(cudaErrorCudartUnloading, 4, "driver shutting down")
CPU_DEVICE_ERROR(cudaErrorProfilerDisabled, 5,
                 "profiler disabled while using external profiling tool")
CPU_DEVICE_ERROR(cudaErrorProfilerNotInitialized, 6,
                 "profiler not initialized: call cudaProfilerInitialize()")
CPU_DEVICE_ERROR(cudaErrorProfilerAlreadyStarted, 7, "profiler already started")
CPU_DEVICE_ERROR(cudaErrorProfilerAlreadyStopped, 8, "profiler already stopped")
CPU_DEVICE_ERROR(cudaErrorInvalidConfiguration, 9, "invalid configuration argument")
CPU_DEVICE_ERROR(cudaErrorInvalidPitchValue, 12, "invalid pitch argument")
CPU_DEVICE_ERROR(cudaErrorInvalidSymbol, 13, "invalid device symbol")
CPU_DEVICE_ERROR(cudaErrorInvalidHostPointer, 16, "invalid host pointer")
CPU_DEVICE_ERROR(cudaErrorInvalidDevicePointer, 17, "invalid device pointer")
CPU_DEVICE_ERROR(cudaErrorInvalidTexture, 18, "invalid texture reference")
CPU_DEVICE_ERROR(cudaErrorInvalidTextureBinding, 19, "texture is not bound to a pointer")
CPU_DEVICE_ERROR(cudaErrorInvalidChannelDescriptor, 20, "invalid channel descriptor")
CPU_DEVICE_ERROR(cudaErrorInvalidMemcpyDirection, 21, "invalid copy direction for memcpy")
CPU_DEVICE_ERROR(cudaErrorAddressOfConstant, 22, "invalid address of constant")
CPU_DEVICE_ERROR(cudaErrorTextureFetchFailed, 23, "fetch from texture failed")
CPU_DEVICE_ERROR(cudaErrorTextureNotBound, 24, "cannot fetch from a texture that is not bound")
CPU_DEVICE_ERROR(cudaErrorSynchronizationError, 25, "incorrect use of __syncthreads()")
CPU_DEVICE_ERROR(cudaErrorInvalidFilterSetting, 26,
                 "linear filtering not supported for non-float type")
CPU_DEVICE_ERROR(cudaErrorInvalidNormSetting, 27,
                 "read as normalized float not supported for data type")
CPU_DEVICE_ERROR(cudaErrorMixedDeviceExecution, 28,
                 "device emulation mode and device execution mode cannot be mixed")
CPU_DEVICE_ERROR(cudaErrorNotYetImplemented, 31, "feature not yet implemented")
CPU_DEVICE_ERROR(cudaErrorMemoryValueTooLarge, 32,
                 "memory size or pointer value too large to fit in 32 bit")
CPU_DEVICE_ERROR(cudaErrorStubLibrary, 34, "CUDA driver is a stub library")
CPU_DEVICE_ERROR(cudaErrorInsufficientDriver, 35,
                 "CUDA driver version is insufficient for CUDA runtime version")
CPU_DEVICE_ERROR(cudaErrorCallRequiresNewerDriver, 36,
                 "API call is not supported in the installed CUDA driver")
CPU_DEVICE_ERROR(cudaErrorInvalidSurface, 37, "invalid surface reference")
CPU_DEVICE_ERROR(cudaErrorDuplicateVariableName, 43,
                 "duplicate global variable looked up by string name")
CPU_DEVICE_ERROR(cudaErrorDuplicateTextureName, 44, "duplicate texture looked up by string name")
CPU_DEVICE_ERROR(cudaErrorDuplicateSurfaceName, 45, "duplicate surface looked up by string name")
CPU_DEVICE_ERROR(cudaErrorDevicesUnavailable, 46,
                 "CUDA-capable device(s) is/are busy or unavailable")
CPU_DEVICE_ERROR(cudaErrorIncompatibleDriverContext, 49, "incompatible driver context")
CPU_DEVICE_ERROR(cudaErrorMissingConfiguration, 52, "__global__ function call is not configured")
CPU_DEVICE_ERROR(cudaErrorPriorLaunchFailure, 53, "unspecified launch failure in prior launch")
CPU_DEVICE_ERROR(cudaErrorLaunchMaxDepthExceeded, 65,
                 "launch would exceed maximum depth of nested launches")
CPU_DEVICE_ERROR(cudaErrorLaunchFileScopedTex, 66,
                 "launch failed because kernel uses unsupported, file-scoped textures (texture "
                 "objects are supported)")
CPU_DEVICE_ERROR(cudaErrorLaunchFileScopedSurf, 67,
                 "launch failed because kernel uses unsupported, file-scoped surfaces (surface "
                 "objects are supported)")
CPU_DEVICE_ERROR(
    cudaErrorSyncDepthExceeded, 68,
    "cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth")
CPU_DEVICE_ERROR(cudaErrorLaunchPendingCountExceeded, 69,
                 "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount")
CPU_DEVICE_ERROR(cudaErrorInvalidDeviceFunction, 98, "invalid device function")
CPU_DEVICE_ERROR(cudaErrorNoDevice, 100, "no CUDA-capable device is detected")
CPU_DEVICE_ERROR(cudaErrorInvalidDevice, 101, "invalid device ordinal")
CPU_DEVICE_ERROR(cudaErrorDeviceNotLicensed, 102, "device doesn't have valid Grid license")
CPU_DEVICE_ERROR(cudaErrorSoftwareValidityNotEstablished, 103, "integrity checks failed")
CPU_DEVICE_ERROR(cudaErrorStartupFailure, 127, "startup failure in cuda runtime")
CPU_DEVICE_ERROR(cudaErrorInvalidKernelImage, 200, "device kernel image is invalid")
CPU_DEVICE_ERROR(cudaErrorDeviceUninitialized, 201, "invalid device context")
CPU_DEVICE_ERROR(cudaErrorMapBufferObjectFailed, 205, "mapping of buffer object failed")
CPU_DEVICE_ERROR(cudaErrorUnmapBufferObjectFailed, 206, "unmapping of buffer object failed")
CPU_DEVICE_ERROR(cudaErrorArrayIsMapped, 207, "array is mapped")
CPU_DEVICE_ERROR(cudaErrorAlreadyMapped, 208, "resource already mapped")
CPU_DEVICE_ERROR(cudaErrorNoKernelImageForDevice, 209,
                 "no kernel image is available for execution on the device")
CPU_DEVICE_ERROR(cudaErrorAlreadyAcquired, 210, "resource already acquired")
CPU_DEVICE_ERROR(cudaErrorNotMapped, 211, "resource not mapped")
CPU_DEVICE_ERROR(cudaErrorNotMappedAsArray, 212, "resource not mapped as array")
CPU_DEVICE_ERROR(cudaErrorNotMappedAsPointer, 213, "resource not mapped as pointer")
CPU_DEVICE_ERROR(cudaErrorECCUncorrectable, 214, "uncorrectable ECC error encountered")
CPU_DEVICE_ERROR(cudaErrorUnsupportedLimit, 215, "limit is not supported on this architecture")
CPU_DEVICE_ERROR(cudaErrorDeviceAlreadyInUse, 216,
                 "exclusive-thread device already in use by a different thread")
CPU_DEVICE_ERROR(cudaErrorPeerAccessUnsupported, 217,
                 "peer access is not supported between these two devices")
CPU_DEVICE_ERROR(cudaErrorInvalidPtx, 218, "a PTX JIT compilation failed")
CPU_DEVICE_ERROR(cudaErrorInvalidGraphicsContext, 219, "invalid OpenGL or DirectX context")
CPU_DEVICE_ERROR(cudaErrorNvlinkUncorrectable, 220,
                 "uncorrectable NVLink error detected during the execution")
CPU_DEVICE_ERROR(cudaErrorJitCompilerNotFound, 221, "PTX JIT compiler library not found")
CPU_DEVICE_ERROR(cudaErrorUnsupportedPtxVersion, 222,
                 "the provided PTX was compiled with an unsupported toolchain.")
CPU_DEVICE_ERROR(cudaErrorJitCompilationDisabled, 223, "PTX JIT compilation was disabled")
CPU_DEVICE_ERROR(cudaErrorUnsupportedExecAffinity, 224,
                 "the provided execution affinity is not supported")
CPU_DEVICE_ERROR(cudaErrorUnsupportedDevSideSync, 225,
                 "the provided PTX contains unsupported call to cudaDeviceSynchronize")
CPU_DEVICE_ERROR(cudaErrorContained, 226,
                 "Invalid access of peer GPU memory over nvlink or a hardware error")
CPU_DEVICE_ERROR(cudaErrorInvalidSource, 300, "device kernel image is invalid")
CPU_DEVICE_ERROR(cudaErrorFileNotFound, 301, "file not found")
CPU_DEVICE_ERROR(cudaErrorSharedObjectSymbolNotFound, 302, "shared object symbol not found")
CPU_DEVICE_ERROR(cudaErrorSharedObjectInitFailed, 303, "shared object initialization failed")
CPU_DEVICE_ERROR(cudaErrorOperatingSystem, 304,
                 "OS call failed or operation not supported on this OS")
CPU_DEVICE_ERROR(cudaErrorInvalidResourceHandle, 400, "invalid resource handle")
CPU_DEVICE_ERROR(cudaErrorIllegalState, 401,
                 "the operation cannot be performed in the present state")
CPU_DEVICE_ERROR(cudaErrorLossyQuery, 402, "attempted introspection would be semantically lossy")
CPU_DEVICE_ERROR(cudaErrorSymbolNotFound, 500, "named symbol not found")
CPU_DEVICE_ERROR(cudaErrorNotReady, 600, "device not ready")
CPU_DEVICE_ERROR(cudaErrorIllegalAddress, 700, "an illegal memory access was encountered")
CPU_DEVICE_ERROR(cudaErrorLaunchOutOfResources, 701, "too many resources requested for launch")
CPU_DEVICE_ERROR(cudaErrorLaunchTimeout, 702, "the launch timed out and was terminated")
CPU_DEVICE_ERROR(cudaErrorLaunchIncompatibleTexturing, 703,
                 "launch uses incompatible texturing mode")
CPU_DEVICE_ERROR(cudaErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled")
CPU_DEVICE_ERROR(cudaErrorPeerAccessNotEnabled, 705, "peer access has not been enabled")
CPU_DEVICE_ERROR(cudaErrorSetOnActiveProcess, 708,
                 "cannot set while device is active in this process")
CPU_DEVICE_ERROR(cudaErrorContextIsDestroyed, 709, "context is destroyed")
CPU_DEVICE_ERROR(cudaErrorAssert, 710, "device-side assert triggered")
CPU_DEVICE_ERROR(cudaErrorTooManyPeers, 711, "peer mapping resources exhausted")
CPU_DEVICE_ERROR(cudaErrorHostMemoryAlreadyRegistered, 712,
                 "part or all of the requested memory range is already mapped")
CPU_DEVICE_ERROR(cudaErrorHostMemoryNotRegistered, 713,
                 "pointer does not correspond to a registered memory region")
CPU_DEVICE_ERROR(cudaErrorHardwareStackError, 714, "hardware stack error")
CPU_DEVICE_ERROR(cudaErrorIllegalInstruction, 715, "an illegal instruction was encountered")
CPU_DEVICE_ERROR(cudaErrorMisalignedAddress, 716, "misaligned address")
CPU_DEVICE_ERROR(cudaErrorInvalidAddressSpace, 717,
                 "operation not supported on global/shared address space")
CPU_DEVICE_ERROR(cudaErrorInvalidPc, 718, "invalid program counter")
CPU_DEVICE_ERROR(cudaErrorLaunchFailure, 719, "unspecified launch failure")
CPU_DEVICE_ERROR(cudaErrorCooperativeLaunchTooLarge, 720, "too many blocks in cooperative launch")
CPU_DEVICE_ERROR(cudaErrorTensorMemoryLeak, 721, "tensor memory not completely freed")
CPU_DEVICE_ERROR(cudaErrorNotPermitted, 800, "operation not permitted")
CPU_DEVICE_ERROR(cudaErrorNotSupported, 801, "operation not supported")
CPU_DEVICE_ERROR(cudaErrorSystemNotReady, 802, "system not yet initialized")
CPU_DEVICE_ERROR(cudaErrorSystemDriverMismatch, 803,
                 "system has unsupported display driver / cuda driver combination")
CPU_DEVICE_ERROR(cudaErrorCompatNotSupportedOnDevice, 804,
                 "forward compatibility was attempted on non supported HW")
CPU_DEVICE_ERROR(cudaErrorMpsConnectionFailed, 805,
                 "MPS client failed to connect to the MPS control daemon or the MPS server")
CPU_DEVICE_ERROR(cudaErrorMpsRpcFailure, 806,
                 "the remote procedural call between the MPS server and the MPS client failed")
CPU_DEVICE_ERROR(cudaErrorMpsServerNotReady, 807,
                 "MPS server is not ready to accept new MPS client requests")
CPU_DEVICE_ERROR(cudaErrorMpsMaxClientsReached, 808,
                 "the hardware resources required to create MPS client have been exhausted")
CPU_DEVICE_ERROR(
    cudaErrorMpsMaxConnectionsReached, 809,
    "the hardware resources required to support device connections have been exhausted")
CPU_DEVICE_ERROR(cudaErrorMpsClientTerminated, 810,
                 "the MPS client has been terminated by the server")
CPU_DEVICE_ERROR(cudaErrorCdpNotSupported, 811,
                 "is using CUDA Dynamic Parallelism, but the current configuration, like MPS, does "
                 "not support it")
CPU_DEVICE_ERROR(cudaErrorCdpVersionMismatch, 812,
                 "unsupported interaction between different versions of CUDA Dynamic Parallelism")
CPU_DEVICE_ERROR(cudaErrorStreamCaptureUnsupported, 900,
                 "operation not permitted when stream is capturing")
CPU_DEVICE_ERROR(cudaErrorStreamCaptureInvalidated, 901,
                 "operation failed due to a previous error during capture")
CPU_DEVICE_ERROR(cudaErrorStreamCaptureMerge, 902,
                 "operation would result in a merge of separate capture sequences")
CPU_DEVICE_ERROR(cudaErrorStreamCaptureUnmatched, 903,
                 "capture was not ended in the same stream as it began")
CPU_DEVICE_ERROR(cudaErrorStreamCaptureUnjoined, 904, "capturing stream has unjoined work")
CPU_DEVICE_ERROR(cudaErrorStreamCaptureIsolation, 905,
                 "dependency created on uncaptured work in another stream")
CPU_DEVICE_ERROR(cudaErrorStreamCaptureImplicit, 906,
                 "operation would make the legacy stream depend on a capturing blocking stream")
CPU_DEVICE_ERROR(cudaErrorCapturedEvent, 907,
                 "operation not permitted on an event last recorded in a capturing stream")
CPU_DEVICE_ERROR(cudaErrorStreamCaptureWrongThread, 908,
                 "attempt to terminate a thread-local capture sequence from another thread")
CPU_DEVICE_ERROR(cudaErrorTimeout, 909, "wait operation timed out")
CPU_DEVICE_ERROR(cudaErrorGraphExecUpdateFailure, 910,
                 "the graph update was not performed because it included changes which violated "
                 "constraints specific to instantiated graph update")
CPU_DEVICE_ERROR(cudaErrorExternalDevice, 911,
                 "an async error has occured in external entity outside of CUDA")
CPU_DEVICE_ERROR(cudaErrorInvalidClusterSize, 912,
                 "a kernel launch error has occurred due to cluster misconfiguration")
CPU_DEVICE_ERROR(
    cudaErrorFunctionNotLoaded, 913,
    "the function handle is not loaded when calling an API that requires a loaded function")
CPU_DEVICE_ERROR(cudaErrorInvalidResourceType, 914,
                 "one or more resources passed in are not valid resource types for the operation")
CPU_DEVICE_ERROR(cudaErrorInvalidResourceConfiguration, 915,
                 "one or more resources are insufficient or non-applicable for the operation")
CPU_DEVICE_ERROR(cudaErrorUnknown, 999, "unknown error")
CPU_DEVICE_ERROR(cudaErrorApiFailureBase, 10000, "api failure base")
