/** What commands were called before, and what they are called now. Scripts keep the old names. */
const formerNames: readonly { readonly former: readonly string[]; readonly now: readonly string[] }[] = [
  { former: ['accept', '--list'], now: ['waivers', 'list', '--acceptances'] },
  { former: ['causes'], now: ['violations', '--by-cause'] },
  { former: ['config', 'check'], now: ['doctor', '--offline'] },
  { former: ['coverage'], now: ['status', '--listings'] },
]

interface CommandWords {
  readonly words: readonly string[]
  /** That a command has another name now; undefined where it has the name that was given. */
  readonly notice?: string
}

/** The words of a command line, with the name that its command has now. */
export function readFormerNames(words: readonly string[]): CommandWords {
  const at = words.findIndex(
    (word, index) => !word.startsWith('-') && word !== 'help' && words[index - 1] !== '--color',
  )
  const renamed = formerNames.find(({ former: [first, second = ''] }) => {
    if (words[at] !== first) return false
    // Behind `--` there are no options.
    const options = words.slice(0, [...words, '--'].indexOf('--'))
    return second.startsWith('--') ? options.includes(second) : second === '' || words[at + 1] === second
  })
  if (renamed === undefined) return { words }
  const { former, now } = renamed
  const [, second = ''] = former
  const rest = words.slice(at + 1)
  const more = second === '' ? rest : rest.toSpliced(rest.indexOf(second), 1)
  return {
    words: [...words.slice(0, at), ...now, ...more],
    notice: `\`hookdrift ${former.join(' ')}\` is \`hookdrift ${now.join(' ')}\` now`,
  }
}
