/** Closes what was deferred, the last first, also after one that fails. (`AsyncDisposableStack` is not in Node 22.) */
export function openStack() {
  const closes: (() => unknown)[] = []
  const closeAll = async (): Promise<void> => {
    const close = closes.pop()
    if (close === undefined) return
    try {
      await close()
    } finally {
      await closeAll()
    }
  }
  return { defer: (close: () => unknown) => void closes.push(close), [Symbol.asyncDispose]: closeAll }
}
