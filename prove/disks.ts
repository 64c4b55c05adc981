import { spawn, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import Database from 'better-sqlite3'
import { createRandom } from '../src/demo/random.ts'
import { type Answers, answerIn, answersOf, openCommands, type Place, questions, sealKey } from './commands/fixture.ts'
import { conclude, type Outcome, Tally } from './conclude.ts'
import { compileFailingDisk, type FailingCall, failingCalls } from './disks/failing-disk.ts'

/**
 * Takes the disk away from a history in a file. It is full at the n-th page that a command writes (a small file system in
 * memory, where this process may mount one), a write fails at the n-th page with an error (a limit on the size of files,
 * which SQLite reports as EIO), the n-th read, write or synchronisation fails, once or for good (where there is a C
 * compiler), it is read-only; the file is deleted, cut, altered, replaced, of a newer version; its log
 * or its key is missing. A command says so in one sentence with its exit code, or it does its work; afterwards the history
 * verifies and is the one before or the one after. `node prove/disks.ts [seed]`: `--every 1` of the pages, `--damages 2000`
 * cut and altered files. Ends with 1 for any other outcome.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    every: { type: 'string', default: '1' },
    damages: { type: 'string', default: '2000' },
    // Whether this process is the one that may mount: see below.
    inside: { type: 'boolean', default: false },
  },
})
const [seed = '1'] = positionals
const [every, damages] = [Number(values.every), Number(values.damages)]
/** Of the file system, and of a history. */
const pageBytes = 4096
const pageOf = 16_384

/** In a namespace of its own, mounts need no rights and go with the process. */
const namespace = ['--user', '--map-root-user', '--mount']
const mayMount = values.inside || spawnSync('unshare', [...namespace, 'true']).status === 0

if (mayMount && !values.inside) {
  const args = [...namespace, process.execPath, ...process.execArgv, import.meta.filename, ...process.argv.slice(2)]
  const child = spawn('unshare', [...args, '--inside'], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  child.on('message', (outcome) => conclude(outcome as Outcome)) // It sends nothing else: see conclude.ts.
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
} else {
  if (!mayMount) process.stdout.write('may not mount: no disk is full here, and none is read-only\n')
  await proveDisks()
}

async function proveDisks(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'hookdrift-disks-'))
  if (mayMount) execute('mount', '-t', 'tmpfs', '-o', 'size=256m', 'tmpfs', root)
  try {
    const campaign = await openCampaign(root)
    if (mayMount) await campaign.proveFull()
    await campaign.proveLimited()
    await campaign.proveFailing()
    if (mayMount) await campaign.proveReadOnly()
    await campaign.proveDamage()
    await campaign.proveOtherFiles()
    await campaign.proveLog()
    await campaign.proveKey()
    await campaign.close()
  } finally {
    if (mayMount) execute('umount', '--lazy', root)
    rmSync(root, { recursive: true, force: true })
  }
}

async function openCampaign(root: string) {
  const places = join(root, 'places')
  mkdirSync(places)
  const commands = await openCommands(`disks-${seed}`, undefined, places)
  const random = createRandom(`disks/${seed}`)
  const tally = new Tally()

  const undisturbed = await commands.copy('file')
  const before = await answersOf(undisturbed)
  await undisturbed.say(['audit', '--quiet'])
  const audited = await answersOf(undisturbed)
  await undisturbed.remove()

  function report(about: string, faults: readonly string[], isUnseen = false): void {
    const repeat = `node prove/disks.ts ${seed} --every ${every} --damages ${damages}`
    tally.report(about, faults, isUnseen ? 'unseen' : 'whole', repeat)
  }

  /** A command without a disk that takes all: whether it could do its work, and what is wrong with what it left. */
  async function tryCommand(about: string, { args, place, restore = () => {}, env }: Trial): Promise<boolean> {
    const said = env === undefined ? await place.say(args) : await place.start(args, env).ended
    restore()
    endLease(place)
    const isDone = said.code === 0 || said.code === 1
    const faults = isDone ? [] : faultsOfRefusal(said)
    faults.push(...(await faultsOfHistory(place)))
    const left = await answersOf(place).catch((error: unknown) => ({ runs: [], rows: String(error) }))
    const isAudit = args[0] === 'audit'
    const isWhole = isAudit && left.runs.length === before.runs.length + 1
    if (left.rows !== (isWhole ? audited : before).rows)
      faults.push('the history is neither the one before nor the one after')
    if (isAudit && isDone && !isWhole) faults.push('the run that ended well is lost')
    if (isAudit) {
      const next = await place.say(args)
      if (next.code !== 1) faults.push(`the next audit ended with ${next.code}: ${next.stderr}`)
      if ((await answersOf(place)).rows !== audited.rows) faults.push('the next audit finds something else')
    }
    report(about, faults)
    return isDone
  }

  const writers: readonly (readonly string[])[] = [
    ['audit', '--quiet'],
    ['prune', '--keep-last', '1'],
    ['notify'],
    ['backup', 'backup.db', '--force'],
  ]

  return {
    /** The n-th page does not fit. */
    async proveFull(): Promise<void> {
      for (const args of writers) {
        for (let pages = 0; ; pages += every) {
          const place = await commands.copy('file')
          const { blocks, bfree, bsize } = statfsSync(root)
          execute('mount', '-o', `remount,size=${(blocks - bfree) * bsize + pages * pageBytes}`, root)
          const restore = () => execute('mount', '-o', 'remount,size=256m', root)
          const isDone = await tryCommand(`${args[0]} with ${pages} pages of disk`, {
            args: inPlace(args, place),
            place,
            restore,
          })
          await place.remove()
          if (isDone) break
        }
      }
    },
    /** No file may grow beyond the n-th page: SQLite reports what the system refuses then as an error of the disk. */
    async proveLimited(): Promise<void> {
      const limit = (bytes: string) => execute('prlimit', '--pid', String(process.pid), `--fsize=${bytes}:unlimited`)
      for (const args of writers) {
        // Of a file that is new: the log, and the backup.
        for (let pages = 0; ; pages += 4 * every) {
          const place = await commands.copy('file')
          limit(String(pages * pageBytes))
          const restore = () => limit('unlimited')
          const isDone = await tryCommand(`${args[0]} with files of ${pages} pages`, {
            args: inPlace(args, place),
            place,
            restore,
          })
          await place.remove()
          if (isDone) break
        }
      }
    },
    /** The disk refuses a call, or all from one on. Who reads answers as before, or not at all. */
    async proveFailing(): Promise<void> {
      const failing = compileFailingDisk(root)
      if (failing === undefined) {
        process.stdout.write('there is no C compiler: no read, write or synchronisation fails\n')
        return
      }
      for (const call of failingCalls) {
        for (const args of [...writers, ...(call === 'read' ? questions : []), ['verify', '--deep']]) {
          const calls = await countCalls(failing, call, args)
          for (let from = 1; from <= calls; from += every) {
            for (const to of [from, Number.MAX_SAFE_INTEGER]) {
              const place = await commands.copy('file')
              const env = failing(place.address, call, { from, to })
              await tryFailing(`${args.join(' ')}, ${call} ${from}${to === from ? '' : ' and all after it'} fails`, {
                args: inPlace(args, place),
                place,
                env,
              })
              await place.remove()
            }
          }
        }
      }
    },
    /** Commands that write are refused, those that read answer as before. */
    async proveReadOnly(): Promise<void> {
      const place = await commands.copy('file')
      execute('mount', '-o', 'remount,ro', root)
      const faults: string[] = []
      const refused = []
      for (const args of writers) refused.push(await place.say(inPlace(args, place)))
      const answers = await answersOf(place).catch((error: unknown) => ({ runs: [], rows: String(error) }))
      faults.push(...(await faultsOfHistory(place)))
      execute('mount', '-o', 'remount,rw', root)
      faults.push(
        ...refused.flatMap((said) => (said.code === 0 || said.code === 1 ? ['it wrote'] : faultsOfRefusal(said))),
      )
      if (answers.rows !== before.rows) faults.push(`it answers otherwise: ${answers.rows.slice(0, 300)}`)
      report('a read-only disk', faults)
      await place.remove()
    },
    /** A file that is cut, and one of which bytes are altered, at random places. */
    async proveDamage(): Promise<void> {
      for (let index = 0; index < damages; index++) {
        const place = await commands.copy('file')
        const file = readFileSync(place.address)
        const how = random.pick(['cut', 'altered', 'altered', 'noise'] as const)
        const start = how === 'noise' || random.chance(0.3) ? random.below(file.length / pageOf) * pageOf : undefined
        const at = start ?? random.below(file.length)
        if (how === 'cut') truncateSync(place.address, at)
        else {
          const bytes = how === 'noise' ? pageOf : random.pick([1, 1, 16, 4096])
          for (let offset = at; offset < Math.min(file.length, at + bytes); offset++) {
            file[offset] = random.chance(0.2) ? 0 : random.below(256)
          }
          writeFileSync(place.address, file)
        }
        await tryReaders(`${how} at byte ${at} of ${file.length}`, place, {
          states: [before],
          isPlain: how === 'noise',
        })
        await place.remove()
      }
    },
    /** What is there in place of the history. */
    async proveOtherFiles(): Promise<void> {
      const others: Readonly<Record<string, (file: string) => void>> = {
        'a text': (file) => writeFileSync(file, 'services:\n  - name: acme\n'.repeat(1000)),
        'a database of another program': (file) => {
          rmSync(file)
          const db = new Database(file)
          db.exec('CREATE TABLE song (title TEXT); INSERT INTO song VALUES (1)')
          db.close()
        },
        'a directory': (file) => {
          rmSync(file)
          mkdirSync(file)
        },
        'a history of a newer version': (file) => {
          const db = new Database(file)
          db.pragma(`user_version = ${Number(db.pragma('user_version', { simple: true })) + 1}`)
          db.close()
        },
        'an archive': (file) =>
          writeFileSync(file, Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(9000, 7)])),
      }
      for (const [what, put] of Object.entries(others)) {
        const place = await commands.copy('file')
        put(place.address)
        const contents = () => (what === 'a directory' ? '' : readFileSync(place.address, 'base64'))
        const was = contents()
        const faults: string[] = []
        for (const args of [...writers, ['status'], ['violations'], ['verify']]) {
          const said = await place.say(inPlace(args, place))
          if (said.code === 0 || said.code === 1) faults.push(`${args[0]} ended with ${said.code}`)
          else faults.push(...faultsOfRefusal(said))
        }
        if (contents() !== was) faults.push('it was changed')
        report(`${what} in place of the history`, faults)
        await place.remove()
      }
      const place = await commands.copy('file')
      rmSync(place.address)
      const faults: string[] = []
      for (const args of [
        ['status'],
        ['violations'],
        ['verify'],
        ['prune', '--keep-last', '1'],
        ['notify', '--pending'],
      ]) {
        const said = await place.say(args)
        if (said.code === 0 || said.code === 1) faults.push(`${args[0]} ended with ${said.code}`)
        else faults.push(...faultsOfRefusal(said))
        if (existsSync(place.address)) faults.push(`${args[0]} made a history`)
      }
      const first = JSON.parse((await place.say(['audit', '--format', 'json'])).stdout)
      if (first.drift.length > 0 || first.run.number !== 1) faults.push('the first run of a new history compares')
      report('no history', faults)
      await place.remove()
    },
    /** The log of a history that a process left open is missing, cut or altered: what is left is a history of former runs. */
    async proveLog(): Promise<void> {
      const place = await commands.copy('file')
      const reader = new Database(place.address, { readonly: true })
      reader.prepare('SELECT count(*) FROM run').get()
      const states = [await answersOf(place)]
      for (let run = 0; run < 2; run++) {
        await place.say(['audit', '--quiet', '--no-notify'])
        states.push(await answersOf(place))
      }
      for (let index = 0; index < Math.max(3, damages / 10); index++) {
        const copy = await commands.copy('file')
        copyFileSync(place.address, copy.address)
        const log = readFileSync(`${place.address}-wal`)
        const at = random.below(log.length)
        if (index % 3 === 1) writeFileSync(`${copy.address}-wal`, log.subarray(0, at))
        if (index % 3 === 2) {
          log[at] = (log[at] ?? 0) ^ (1 + random.below(255))
          writeFileSync(`${copy.address}-wal`, log)
        }
        endLease(copy)
        const what = ['missing', `cut at byte ${at}`, `altered at byte ${at}`][index % 3]
        await tryReaders(`a log that is ${what} of ${log.length}`, copy, { states })
        await copy.remove()
      }
      reader.close()
      await place.remove()
    },
    /** Without its key, or with another one, a history is not audited as if its secrets had changed. */
    async proveKey(): Promise<void> {
      const contents = { none: undefined, 'that is cut': sealKey.slice(0, 20), 'of another history': 'ab'.repeat(32) }
      for (const [what, content] of Object.entries(contents)) {
        const place = await commands.copy('file')
        const file = join(place.directory, 'hookdrift.key')
        if (content !== undefined) writeFileSync(file, content, { mode: 0o600 })
        const said = await place.say(['audit', '--format', 'json'], { HOOKDRIFT_SEAL_KEY: '' })
        const faults: string[] = []
        if (said.code === 0 || said.code === 1) {
          if (content === undefined) faults.push('a new key was made in silence')
          if (changedSeals(JSON.parse(said.stdout).drift)) faults.push('secrets are reported as changed')
        } else if (said.code !== 2 && said.code !== 4) faults.push(`it ended with ${said.code}`)
        faults.push(...(await faultsOfHistory(place)))
        report(`a key file: ${what}`, faults, true)
        await place.remove()
      }
    },
    async close(): Promise<void> {
      await commands[Symbol.asyncDispose]()
      tally.conclude('cases')
    },
  }

  async function countCalls(
    failing: NonNullable<ReturnType<typeof compileFailingDisk>>,
    call: FailingCall,
    args: readonly string[],
  ): Promise<number> {
    const place = await commands.copy('file')
    const countFile = join(place.directory, 'calls')
    const { code, stderr } = await place.start(inPlace(args, place), failing(place.address, call, { countFile })).ended
    if (code !== 0 && code !== 1) throw new Error(`${args[0]} ended with ${code} undisturbed: ${stderr}`)
    const calls = Number(readFileSync(countFile, 'utf8'))
    process.stdout.write(`${args.join(' ')}: ${calls} calls of ${call}\n`)
    await place.remove()
    return calls
  }

  async function tryFailing(about: string, trial: Trial): Promise<void> {
    const { args, place, env } = trial
    if (writers.some(([name]) => name === args[0])) {
      await tryCommand(about, trial)
      return
    }
    const said = await place.start(args, env).ended
    const faults = said.code === 0 ? [] : faultsOfRefusal(said, said.stdout)
    const isQuestion = args[0] !== 'verify'
    if (said.code === 0 && isQuestion && answerIn(said, args) !== answerIn(await place.say(args), args)) {
      faults.push('it answers otherwise')
    }
    report(about, [...faults, ...(await faultsOfHistory(place))], true)
  }

  /**
   * It answers as one of the states, or it is refused in a sentence; `verify` knows when it answers otherwise. `isPlain`: no
   * one can take what is there for rows.
   */
  async function tryReaders(
    about: string,
    place: Place,
    { states, isPlain = false }: { readonly states: readonly Answers[]; readonly isPlain?: boolean },
  ): Promise<void> {
    const faults: string[] = []
    const verified = await place.say(['verify', '--deep'])
    if (verified.code !== 0) faults.push(...faultsOfRefusal(verified, verified.stdout))
    const answers = await answersOf(place).catch(() => undefined)
    const isRight = answers === undefined || states.some(({ rows }) => rows === answers.rows)
    if (verified.code === 0 && (answers === undefined || !isRight)) faults.push('it verifies, and answers otherwise')
    if (isPlain && !isRight) faults.push(`it answers otherwise: ${answers?.rows.slice(0, 200)}`)
    for (const args of [['status'], ['report'], ['audit', '--quiet', '--no-notify']]) {
      const said = await place.say(args)
      if (said.code !== 0 && said.code !== 1) faults.push(...faultsOfRefusal(said))
    }
    const after = await place.say(['verify', '--deep'])
    if (verified.code === 0 && after.code !== 0) faults.push(`it verified, and after an audit: ${after.stdout}`)
    report(about, faults, true)
  }
}

interface Trial {
  readonly args: readonly string[]
  readonly place: Place
  /** Gives the disk back. */
  readonly restore?: () => void
  /** Of a process of its own. Default: this one. */
  readonly env?: Readonly<Record<string, string>>
}

/** A refusal is exit code 4, or 2 where a name is wrong, and a sentence. */
function faultsOfRefusal(
  { code, stderr }: { readonly code: number | null; readonly stderr: string },
  stdout = '',
): string[] {
  if (/this is a bug/.test(stderr)) return [`it calls itself a bug: ${stderr.slice(0, 500)}`]
  if (code !== 4 && code !== 2) return [`it ended with ${code}: ${stderr}`]
  return stderr.trim() === '' && stdout.trim() === '' ? ['it says nothing'] : []
}

async function faultsOfHistory(place: Place): Promise<string[]> {
  const { code, stdout, stderr } = await place.say(['verify', '--deep'])
  const failed = stdout.split('\n').filter((line) => !/^(?:ok|-|$)/.test(line))
  return code === 0 ? [] : [`verify ended with ${code}: ${failed.join(' ').slice(0, 500)} ${stderr}`]
}

/** A command has no process here that ends with it: its lease gets the id of one that no system has. */
function endLease({ address }: Place): void {
  const db = new Database(address)
  try {
    db.exec(`UPDATE lease SET pid = ${2 ** 30} WHERE pid = ${process.pid}`)
  } finally {
    db.close()
  }
}

/** A process of many commands does not change its directory. */
function inPlace(args: readonly string[], { directory }: Place): readonly string[] {
  return args.map((arg) => (arg === 'backup.db' ? join(directory, arg) : arg))
}

function changedSeals(drift: readonly { readonly fields?: readonly { before: unknown; after: unknown }[] }[]): boolean {
  const isSeal = (value: unknown) => typeof value === 'string' && /^sealed:[0-9a-f]{32}$/.test(value)
  return drift.some(({ fields = [] }) => fields.some(({ before, after }) => isSeal(before) && isSeal(after)))
}

function execute(program: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr}`)
}
