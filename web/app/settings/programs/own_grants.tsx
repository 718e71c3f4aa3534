// Programs that act for the person.
import { Page } from '../page';
import { GrantList } from './grant_list';

export default () => <Page title="own_grants" why="grants_own_why"><GrantList path="/oauth/my_grants" none="grants_own_none" /></Page>;
