import { checkText } from './documents.ts'

/**
 * Checks every document that a test reads over HTTP. What reads it is `Response` of the platform: nothing of hookdrift's
 * own is replaced.
 */
const checked = Symbol.for('hookdrift: answers are checked')

// The files of a project share a process.
if (!(checked in Response.prototype)) {
  const { text } = Response.prototype
  Object.assign(Response.prototype, {
    [checked]: true,
    async text(this: Response) {
      const read = await text.call(this)
      checkText(read)
      return read
    },
    async json(this: Response) {
      return JSON.parse(await this.text())
    },
  })
}
