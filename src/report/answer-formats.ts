/** Formats of an answer. They stand by themselves, so that `--help` loads nothing that writes one. */
export const answerFormats = ['text', 'json', 'csv'] as const
export type AnswerFormat = (typeof answerFormats)[number]
