import type { Page } from 'playwright-core'

/** Runs in a world of its own, which neither the page's policy nor a browser without script binds. */
export async function inWorld<Result>(page: Page, expression: string): Promise<Result> {
  const session = await page.context().newCDPSession(page)
  const { frameTree } = await session.send('Page.getFrameTree')
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
  })
  const options = { contextId, expression, awaitPromise: true, returnByValue: true }
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', options)
  await session.detach()
  if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text)
  return result.value
}
