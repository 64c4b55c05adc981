import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSite, type SiteOptions } from '../audit/a-site.ts'
import { command } from '../cli/a-terminal.ts'

/** A site whose history is asked by command lines. */
export async function openLibrary(options: SiteOptions) {
  const site = await openSite(options)
  const { directory, file } = site.stand
  const ask = (args: readonly string[], more: { columns?: number; env?: Record<string, string> } = {}) =>
    command([...args, '--history', file], { cwd: directory, ...more })
  return {
    site,
    ask,
    /** The answer as JSON; fails unless the command ends with 0. */
    async rows(...args: string[]) {
      const { code, stdout, stderr } = await ask([...args, '--format', 'json'])
      if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`)
      return JSON.parse(stdout)
    },
    write(name: string, text: string) {
      writeFileSync(join(directory, name), text)
      return join(directory, name)
    },
    [Symbol.asyncDispose]: () => site[Symbol.asyncDispose](),
  }
}

export type Library = Awaited<ReturnType<typeof openLibrary>>
