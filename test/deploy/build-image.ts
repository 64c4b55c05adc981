import { chownSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join, matchesGlob, relative } from 'node:path'
import { startProgram } from '../cli/start-process.ts'
import { readDockerfile, type Stage } from './read-dockerfile.ts'

export const checkout = join(import.meta.dirname, '../..')
/** The text of a file of the checkout. */
export const textOf = (path: string) => readFileSync(join(checkout, path), 'utf8')

/** This Node first: the machine's own may be older. */
const PATH = `${dirname(process.execPath)}:${process.env.PATH}`

export interface Image {
  readonly stage: Stage
  /** What the last stage adds to its base. */
  readonly root: string
}

/**
 * Does what the Dockerfile says in a directory that was empty, each stage in a folder of its own that replaces its
 * root. Only the installation of the tools that build may be left out: this checkout's were installed from the same
 * lock file, by the same command.
 */
export async function buildImage(directory: string, { installsTools }: { installsTools: boolean }): Promise<Image> {
  const context = join(directory, 'context')
  layOutContext(context)
  const stages = readDockerfile(textOf('Dockerfile'))
  const rootOf = (stage: string) => join(directory, 'stages', stage)
  for (const { name: stage, instructions } of stages) {
    let place = '/'
    mkdirSync(rootOf(stage), { recursive: true })
    for (const { name, rest } of instructions) {
      const workingDirectory = join(rootOf(stage), place)
      if (name === 'WORKDIR') {
        place = rest
        mkdirSync(join(rootOf(stage), place), { recursive: true })
      } else if (name === 'COPY') copy(rest, { context, rootOf, workingDirectory, root: rootOf(stage) })
      else if (name === 'RUN' && rest === 'npm ci --ignore-scripts' && !installsTools) {
        symlinkSync(join(checkout, 'node_modules'), join(workingDirectory, 'node_modules'))
      } else if (name === 'RUN') await run(rest, workingDirectory)
    }
  }
  const stage = stages.at(-1)
  if (stage === undefined) throw new Error('the Dockerfile has no stage')
  return { stage, root: rootOf(stage.name) }
}

/** What is sent to the build: all that `.dockerignore` lets through. */
export function layOutContext(context: string): void {
  const lines = textOf('.dockerignore').split('\n')
  const patterns = lines.filter((line) => line !== '' && !line.startsWith('#'))
  const [first, ...others] = patterns
  if (first !== '*') throw new Error('.dockerignore does not begin with leaving all out')
  for (const name of others.filter((line) => line.startsWith('!')).map((line) => line.slice(1))) {
    cpSync(join(checkout, name), join(context, name), { recursive: true })
  }
  const ignored = others.filter((line) => !line.startsWith('!'))
  for (const path of readdirSync(context, { recursive: true, encoding: 'utf8' })) {
    if (ignored.some((pattern) => matchesGlob(path, pattern))) rmSync(join(context, path), { recursive: true })
  }
}

interface Places {
  readonly context: string
  readonly rootOf: (stage: string) => string
  readonly workingDirectory: string
  readonly root: string
}

function copy(rest: string, { context, rootOf, workingDirectory, root }: Places) {
  const words = rest.split(' ')
  const flags = words.filter((word) => word.startsWith('--')).map((word) => word.slice(2).split('='))
  const { from, chown } = Object.fromEntries(flags)
  const paths = words.filter((word) => !word.startsWith('--'))
  const target = paths.pop() ?? ''
  const to = target.startsWith('/') ? join(root, target) : join(workingDirectory, target)
  for (const path of paths) {
    const source = from === undefined ? join(context, path) : join(rootOf(from), path)
    const isFolder = statSync(source).isDirectory()
    cpSync(source, isFolder ? to : join(to, relative(dirname(source), source)), {
      recursive: true,
      verbatimSymlinks: true,
    })
    const [uid, gid] = String(chown ?? '').split(':')
    if (chown !== undefined && process.getuid?.() === 0) chownSync(to, Number(uid), Number(gid))
  }
}

async function run(command: string, cwd: string) {
  // As this machine reaches its registry; what the surrounding npm said is none of its business.
  const own = Object.entries(process.env).filter(([key]) => !key.startsWith('npm_'))
  const env = { ...Object.fromEntries(own), PATH, npm_config_prefer_offline: 'true' }
  const { code, stderr } = await startProgram('sh', ['-c', command], { cwd, env }).ended
  if (code !== 0) throw new Error(`RUN ${command} ended with ${code}: ${stderr}`)
}
