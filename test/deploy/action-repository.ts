import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { configurationFor, openDirectory } from '../cli/start-process.ts'
import { checkout } from './build-image.ts'
import { startForge } from './fake-forge.ts'
import { type ActionOptions, runAction } from './run-action.ts'

const program = join(checkout, 'src/cli/main.ts')
export const sealKey = '5'.repeat(64)

/** An npm that notes what it is asked, and installs this checkout as the program. */
const fakeNpm = `#!/bin/sh
set -eu
echo "npm $*" >>"$NPM_LOG"
case $1 in
pack) : >"$3/hookdrift-0.1.0.tgz" ;;
install)
  mkdir -p "$3/node_modules/.bin"
  printf '#!/bin/sh\\nexec "%s" "%s" "$@"\\n' "$NODE" "$PROGRAM" >"$3/node_modules/.bin/hookdrift"
  chmod 755 "$3/node_modules/.bin/hookdrift" ;;
esac
`

/** A repository with a configuration for a simulated service, its pull request, and the cache between its jobs. */
export async function openRepository() {
  const fleet = generateFleet({ projects: 1, endpointsPerProject: 4 })
  const service = await startSimulatedService(fleet)
  const forge = await startForge()
  const directory = openDirectory()
  const [action, workspace, cache, bin] = ['action', 'workspace', 'cache', 'bin'].map(directory.file)
  if (!action || !workspace || !cache || !bin) throw new Error('four directories were named')
  for (const path of [action, join(workspace, 'webhooks'), join(workspace, 'web hooks'), cache, bin])
    mkdirSync(path, { recursive: true })
  cpSync(join(checkout, 'deploy'), join(action, 'deploy'), { recursive: true })
  cpSync(join(checkout, 'action.yml'), join(action, 'action.yml'))
  writeFileSync(join(bin, 'npm'), fakeNpm, { mode: 0o755 })
  symlinkSync(process.execPath, join(bin, 'node'))
  for (const folder of ['webhooks', 'web hooks'])
    directory.write(`workspace/${folder}/hookdrift.yaml`, configurationFor(service.url, fleet))

  const used: { readonly action: string; readonly given: Readonly<Record<string, string>> }[] = []
  let jobs = 0
  const keep = (pinned: string, given: Readonly<Record<string, string>>) => {
    const [action = ''] = pinned.split('@')
    used.push({ action, given })
    const [history = ''] = (given.path ?? '').split('\n')
    if (action === 'actions/cache/save') cpSync(history, join(cache, 'history'))
    if (action !== 'actions/cache/restore' || !existsSync(join(cache, 'history'))) return
    mkdirSync(join(history, '..'), { recursive: true })
    cpSync(join(cache, 'history'), history)
  }
  return {
    fleet,
    forge,
    used,
    workspace,
    npm: () => readFileSync(directory.file('npm.log'), 'utf8').replaceAll(directory.path, '').split('\n').slice(0, -1),
    audit: (options: Partial<ActionOptions> = {}) => {
      used.length = 0
      return runAction({
        action,
        workspace,
        temporary: directory.file(`job-${++jobs}`),
        use: keep,
        ...options,
        inputs: { 'working-directory': 'webhooks', ...options.inputs },
        github: { token: 'not-a-real-token', 'event.pull_request.number': '12', run_id: '99', ...options.github },
        env: {
          PATH: `${bin}:${process.env.PATH}`,
          NODE: process.execPath,
          PROGRAM: program,
          NPM_LOG: directory.file('npm.log'),
          GITHUB_API_URL: forge.url,
          GITHUB_REPOSITORY: 'acme/hooks',
          ACME_KEY: fleet.personalKey,
          HOOKDRIFT_SEAL_KEY: sealKey,
          ...options.env,
        },
      })
    },
    async [Symbol.asyncDispose]() {
      await service.close()
      await forge[Symbol.asyncDispose]()
      directory[Symbol.dispose]()
    },
  }
}
