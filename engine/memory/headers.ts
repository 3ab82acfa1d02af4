/**
 * What a tensor costs beside its elements, in bytes on the host. Measured once, not asked of PyTorch: torch 2.14.1 CPU, CPython
 * 3.13, 64-bit Linux. Other builds differ; the figures say "tens of bytes" and "hundreds of bytes", no more.
 */
export const HEADERS = Object.freeze({
  /** The Python object: all that `sys.getsizeof` of any tensor reports. Measured. */
  pythonObject: 72,
  /** The C++ `TensorImpl` (sizes, strides, dtype, storage handle, autograd): an estimate from its fields. */
  tensorImpl: Object.freeze({ low: 56, high: 72 }),
  /** The C++ `StorageImpl` (reference count, data pointer, nbytes, allocator): an estimate from its fields. */
  storageImpl: Object.freeze({ low: 40, high: 56 }),
  /** One small tensor with everything that stands behind it, malloc's own headers included. Measured. */
  wholeTensor: Object.freeze({ low: 440, high: 460 }),
});

/** Host bytes of many tensors of `nbytes` each that share no storage, as a range. */
export function hostBytes(tensors: number, nbytes: number): { readonly low: number; readonly high: number } {
  return { low: tensors * (HEADERS.wholeTensor.low + nbytes), high: tensors * (HEADERS.wholeTensor.high + nbytes) };
}
