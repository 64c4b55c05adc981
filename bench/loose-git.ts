import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Bytes as written, and as the file system rounds them up. */
export interface Size {
  readonly bytes: number
  readonly onDisk: number
}

/** The same data as people keep it in Git: a JSON file for each resource, a commit a day. */
export interface LooseGit {
  commit(day: number, changes: readonly FileChange[]): void
  /** What Git keeps, without the files of the working tree. */
  size(): Size
  /** Packs everything, as `git gc` does in its own time. */
  pack(): void
  /** What a copy of all files a day would have taken so far. */
  copies(): number
}

export interface FileChange {
  readonly path: string
  /** undefined: it is gone. */
  readonly text: string | undefined
}

export function openLooseGit(directory: string): LooseGit {
  const git = (args: readonly string[], input = '') =>
    execFileSync('git', ['-C', directory, ...args], { input, encoding: 'utf8' }).trim()
  const lengths = new Map<string, number>()
  let copies = 0
  mkdirSync(directory, { recursive: true })
  git(['init', '-q'])
  return {
    commit(day, changes) {
      for (const { path, text } of changes) {
        const file = join(directory, path)
        if (text === undefined) {
          rmSync(file)
          lengths.delete(path)
          continue
        }
        mkdirSync(dirname(file), { recursive: true })
        writeFileSync(file, text)
        lengths.set(path, Buffer.byteLength(text))
      }
      // What `git add` and `git commit` do, without their check of every unchanged file.
      git(['update-index', '--add', '--remove', '-z', '--stdin'], changes.map(({ path }) => `${path}\0`).join(''))
      const parent = day === 1 ? [] : ['-p', 'HEAD']
      const commit = git([...who, 'commit-tree', ...parent, '-m', `day ${day}`, git(['write-tree'])])
      git(['update-ref', 'HEAD', commit])
      for (const bytes of lengths.values()) copies += bytes
    },
    size: () => sizeOf(join(directory, '.git')),
    pack: () => void git(['gc', '-q', '--prune=now']),
    copies: () => copies,
  }
}

const who = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com']

function sizeOf(directory: string): Size {
  let [bytes, onDisk] = [0, 0]
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    const { size, blocks } = statSync(join(entry.parentPath, entry.name))
    if (entry.isFile()) bytes += size
    onDisk += blocks * 512
  }
  return { bytes, onDisk }
}
