import { fork } from 'node:child_process'
import { once } from 'node:events'

/**
 * Runs a benchmark of this folder, with what follows its name: `npm run bench -- NAME [DIRECTORY]`. Without a name those
 * of an audit, the usual one and one that reads filter rows. `bench/README.md` says what each one measures.
 */
const names = [
  ...['against', 'answers', 'audit', 'backends', 'commit', 'filters', 'formats', 'hostile', 'largest-page', 'latency'],
  ...['lease', 'memory', 'pages', 'path', 'pool', 'reading', 'rules', 'scale', 'sizing', 'startup', 'year'],
] as const

const [name, ...args] = process.argv.slice(2)
if (name === undefined) {
  await run('audit')
  await run('filters')
} else {
  const benchmark = names.find((one) => one === name)
  if (benchmark === undefined) {
    process.stderr.write(`bench: there is no benchmark "${name}"; there are ${names.join(', ')}\n`)
    process.exitCode = 2
  } else await run(benchmark)
}

/** Each has a process of its own, so that none changes what the next one measures. */
async function run(benchmark: (typeof names)[number]): Promise<void> {
  const [code] = await once(fork(new URL(`${benchmark}.ts`, import.meta.url), args), 'exit')
  if (code !== 0) process.exitCode = 1
}
