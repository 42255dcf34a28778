-- Settings of publishers: served like everything else, so they take change
-- numbers and leave a line in the audit log.
create or replace trigger publisher_settings_change_begin
    before insert or update on ads.publisher_settings
    for each statement execute function ads.change_begin();
create or replace trigger publisher_settings_change_stamp
    before insert or update on ads.publisher_settings
    for each row execute function ads.change_stamp();
create or replace trigger publisher_settings_touch
    before update on ads.publisher_settings
    for each row execute function ads.row_touch();
create or replace trigger publisher_settings_audit
    after insert or update or delete on ads.publisher_settings
    for each row execute function ads.audit_row();
