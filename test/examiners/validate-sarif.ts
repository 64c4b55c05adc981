import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { openDirectory } from '../cli/start-process.ts'

/**
 * What Microsoft's validator says of the SARIF files of a directory, by the rules of the standard and those that GitHub
 * published: errors and warnings, a line each.
 */
export function validateSarif(directory: string): readonly string[] {
  using bin = openDirectory()
  // npm does not run the script of the package that would make it executable.
  const tool = bin.file('multitool')
  copyFileSync(createRequire(import.meta.url)('@microsoft/sarif-multitool-linux'), tool)
  chmodSync(tool, 0o755)
  const files = readdirSync(directory).map((name) => join(directory, name))
  const options = ['--rule-kind', 'Sarif;Ghas', '--level', 'Error;Warning']
  const { stdout, status } = spawnSync(tool, ['validate', ...files, ...options], {
    encoding: 'utf8',
    // One of its rules asks for the address of the schema: that is refused at once.
    env: { ...process.env, DOTNET_SYSTEM_GLOBALIZATION_INVARIANT: '1', HTTPS_PROXY: 'http://127.0.0.1:9' },
  })
  const said = stdout.split('\n').filter((line) => /: (?:error|warning) \w+: /.test(line))
  if (!stdout.includes(`${files.length} files scanned`))
    throw new Error(`the validator ended with ${status}: ${stdout}`)
  // A checkout has no page about the project: the owner of a release names it.
  return said.filter((line) => !line.includes('warning SARIF2005: '))
}
