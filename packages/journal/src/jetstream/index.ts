export { type JetStreamJournal, type JetStreamJournalOptions, openJetStreamJournal } from './jetstream-journal.ts'
