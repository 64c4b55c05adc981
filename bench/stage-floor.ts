import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript'

/** Writes the floor as JavaScript, so that reading types is not counted as its work, and returns the file. */
export function stageFloor(): string {
  const directory = resolve(import.meta.dirname, '../.bench')
  const file = join(directory, 'floor.mjs')
  const source = readFileSync(join(import.meta.dirname, 'floor.ts'), 'utf8')
  const compilerOptions = { target: ScriptTarget.ESNext, module: ModuleKind.ESNext }
  mkdirSync(directory, { recursive: true })
  writeFileSync(file, transpileModule(source, { compilerOptions }).outputText)
  return file
}
