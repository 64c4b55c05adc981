/** A word that the project gave up, and what it says instead. */
export interface OldWord {
  /** Whole words, in text whose identifiers are already split into words. Senses that stay are excluded here. */
  readonly pattern: RegExp
  readonly instead: string
}

/** A file or folder that may keep some of the words, and why. */
export interface WordException {
  /** The path of a file, or of a folder with a slash at its end. */
  readonly path: string
  readonly words: readonly string[]
  readonly because: string
}

const appearance =
  'alike|as if|as though|better|different|fine|harmless|healthy|active|like|odd|ordinary|random|right|secret|the same|unusual|valid'

export const oldWords: readonly OldWord[] = [
  { pattern: /\b(?:re)?judge[sd]?\b|\bjudg(?:e?ments?|ing)\b/g, instead: 'evaluate' },
  { pattern: /\bunjudged\b/g, instead: 'not evaluated' },
  { pattern: /\b(?<!\ball )(?:un)?settle[sd]?\b|\bsettling\b/g, instead: 'reconcile, resolve or finish' },
  {
    pattern: /\btells?\b|\bun ?told\b|\btold\b|\btell(?:ing|ers?)\b/g,
    instead: 'notify, print, describe or distinguish',
  },
  { pattern: /\bnobody\b/g, instead: 'no one that exists: name the actor' },
  { pattern: /\bsomebody\b/g, instead: 'the operator, a person: name the actor' },
  { pattern: /\bwhoever\b/g, instead: 'who does it: name the actor' },
  { pattern: /\bwhatever\b/g, instead: 'any, every, regardless of' },
  { pattern: /\bwhichever\b/g, instead: 'any, each' },
  { pattern: /\bremed(?:y|ies)\b/g, instead: 'remediation' },
  { pattern: /\bholders?\b/g, instead: 'owner' },
  {
    pattern:
      /\bhold(?:s|ing)? (?:the|a|its) lease\b|\b(?:lease|removals?) (?:is|was|are|were) held\b|\bheld (?:lease|loss|removal)/g,
    instead: 'owned, withheld',
  },
  { pattern: /\bstood\b/g, instead: 'was, was open, was valid' },
  { pattern: /\bstands?\b|\bstanding\b/g, instead: 'is in, is open, active' },
  {
    pattern: new RegExp(`\\blook(?:s|ed|ing)?\\b(?! (?:${appearance})\\b)`, 'g'),
    instead: 'scan, read, check or find',
  },
  { pattern: /\bsights?\b/g, instead: 'observation, observed' },
  { pattern: /\bbeside\b/g, instead: 'next to, alongside, together with' },
  { pattern: /(?<!\bthere )\bis no\b(?= (?!(?:longer|more than|less than|later than)\b))/g, instead: 'is not a' },
  { pattern: /\bunless (?:said|told)\b/g, instead: 'unless specified' },
  { pattern: /(?<!\bhow )\bany more\b/g, instead: 'no longer, any longer' },
  { pattern: /\b(?:is|are|was|were) otherwise\b|\botherwise than\b/g, instead: 'differs' },
  { pattern: /\bof a time\b/g, instead: 'of that time' },
  { pattern: /\bsurroundings\b|\bcircumstances\b/g, instead: 'context' },
  { pattern: /\bnews\b/g, instead: 'notification, event' },
  {
    pattern: /\bsealed runs?\b|\bruns? (?:is|was|are|were) sealed\b/g,
    instead: 'committed run: only secrets are sealed',
  },
]

export const wordExceptions: readonly WordException[] = [
  {
    path: 'src/app/pool/jobs.ts',
    words: ['settled'],
    because: 'a member of what pg-boss answers',
  },
]
